import { describe, expect, it } from 'vitest';
import { EMPTY } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { batchRows, instantOf, yearBefore } from './load-batch.ts';
import { type Answer, batchesOf, type Commit, judge } from './load-responses.ts';

const EPOCH = Date.parse('2026-11-20T15:00:00Z');

const json = (...rows: readonly unknown[]) => JSON.stringify(rows);

describe('the batches of a response', () => {
  it('the newest rows belong to one batch, whose number is in every column', () => {
    for (const rows of Object.values(batchRows(7, EPOCH))) {
      expect(batchesOf('newest', json(...rows), EPOCH)).toEqual([7]);
    }
  });

  it('rows of two row sets belong to both batches', () => {
    const [seven = {}] = batchRows(7, EPOCH).sector_strength;
    const [, eight = {}] = batchRows(8, EPOCH).sector_strength;
    expect(batchesOf('newest', json(eight, seven), EPOCH)).toEqual([8, 7]);
    expect(batchesOf('newest', json({ ...eight, strength: 7 }), EPOCH)).toEqual([8, 7]);
  });

  it('a response without a list of rows is invalid', () => {
    expect(() => batchesOf('newest', '[]', EPOCH)).toThrow('no rows');
    expect(() => batchesOf('newest', '{"message":"no"}', EPOCH)).toThrow('no rows');
  });

  it('a timeline shows its newest batch, unless an earlier batch is missing or different', () => {
    const past = yearBefore(EPOCH).flatMap(({ fear_greed_index = [] }) => fear_greed_index);
    const [one, two, three] = [1, 2, 3].map((batch) => batchRows(batch, EPOCH).fear_greed_index[0] ?? {});
    expect(batchesOf('timeline', json(...past.toReversed(), one, two, three), EPOCH)).toEqual([3]);
    expect(batchesOf('timeline', json(...past, one, three), EPOCH)).toEqual([3, -1]);
    expect(batchesOf('timeline', json(...past, one, { ...two, index_value: 3 }, three), EPOCH)).toEqual([
      3, -1,
    ]);
  });

  const pageOf = (mark: (view: ReturnType<typeof dashboardView>) => unknown) => {
    const tables = JSON.parse(JSON.stringify(batchRows(7, EPOCH)));
    const view = dashboardView(
      {
        ...EMPTY,
        indices: tables.market_indices,
        metrics: tables.market_metrics[0],
        fearGreed: { ...EMPTY.fearGreed, current: tables.fear_greed_index[0] },
        sectors: tables.sector_strength,
        indicators: tables.advanced_indicators[0],
        sentiment: tables.market_sentiment,
        breadth: tables.market_breadth[0],
      },
      instantOf(7, EPOCH),
    );
    const data = JSON.stringify({ view: mark(view), at: 0 });
    return `<p>7</p><script type="application/json" id="barometer-data">${data}</script><script></script>`;
  };

  it('a page shows one batch if all its panels show that batch', () => {
    expect(
      batchesOf(
        'page',
        pageOf((view) => view),
        EPOCH,
      ),
    ).toEqual([7]);
  });

  it('a page shows several batches if a panel or one number differs', () => {
    const older = pageOf((view) => ({
      ...view,
      metrics: { ...view.metrics, asOf: { instant: instantOf(6, EPOCH) } },
    }));
    expect(batchesOf('page', older, EPOCH)).toEqual([7, 6]);
    const one = pageOf((view) => ({ ...view, fearGreed: { ...view.fearGreed, current: { value: 6 } } }));
    expect(batchesOf('page', one, EPOCH)).toEqual([7, 6]);
    const missing = pageOf((view) => ({ ...view, indices: null }));
    expect(batchesOf('page', missing, EPOCH)).toEqual([7, Number.NaN]);
  });

  it('a page without data is invalid', () => {
    expect(() => batchesOf('page', '<div id="root"></div>', EPOCH)).toThrow('no data');
  });
});

describe('a load', () => {
  const commits: readonly Commit[] = [
    { batch: 1, confirmedAt: 1_000 },
    { batch: 2, confirmedAt: 2_000 },
    { batch: 3, confirmedAt: 3_000 },
  ];
  const answer = (endedAt: number, ...batches: readonly number[]): Answer => ({
    endedAt,
    latency: 1,
    batches,
  });

  it('is fresh if every response shows a batch that was the newest a second before', () => {
    const answers = [answer(1_500, 1), answer(2_999, 1), answer(2_001, 2), answer(9_000, 3), answer(9_000)];
    expect(judge(answers, commits)).toMatchObject({
      requests: 5,
      failed: 0,
      mixed: 0,
      tooOld: 0,
      oldest: 999,
    });
  });

  it('counts a response as stale a second after a newer batch', () => {
    const answers = [answer(3_001, 1), answer(4_500, 2), answer(4_500, 3)];
    expect(judge(answers, commits)).toMatchObject({ tooOld: 2, oldest: 1_500, mixed: 0 });
  });

  it('counts a response with two batches or uncommitted data as mixed', () => {
    const answers = [answer(3_001, 3, 2), answer(3_001, 17), answer(3_001, Number.NaN), answer(3_001, 3)];
    expect(judge(answers, commits)).toMatchObject({ mixed: 3, tooOld: 0, failed: 0 });
  });

  it('reports the number of failures and the latencies', () => {
    const latencies = Array.from({ length: 100 }, (_, at) => ({
      endedAt: 0,
      latency: at + 1,
      batches: null,
    }));
    expect(judge(latencies, commits)).toMatchObject({ failed: 100, p50: 51, p99: 100, slowest: 100 });
  });
});
