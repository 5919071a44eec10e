import { expect, test } from 'vitest';
import { closesView, valueAxis } from './closes-view.ts';

const close = (price: number, created_at: string) => ({ price, source: 'csv', created_at }) as const;

const MONTH = [
  close(6612.3, '2026-10-14T20:00:00.000Z'),
  close(6590.2, '2026-10-16T20:00:00.000Z'),
  close(6650, '2026-10-19T20:00:00.000Z'),
  close(6701.456, '2026-11-12T21:00:00.000Z'),
  close(6734.11, '2026-11-13T19:05:00.000Z'),
];

test('the chart states its range, its change and the age of its newest point', () => {
  const view = closesView(MONTH);
  expect(view.title).toBe('S&P 500 closes, 14 Oct to 13 Nov 2026');
  expect(view.asOfText).toBe('Our own chart, as of Fri 13 Nov 2026, 14:05 New York time');
  expect(view.change).toEqual({ text: '+121.81 (+1.84%)', tone: 'positive' });
  expect(view.summary).toBe(
    'S&P 500 from Wed 14 Oct 2026 to Fri 13 Nov 2026: lowest 6,590.20 on Fri 16 Oct 2026, highest 6,734.11 on Fri 13 Nov 2026, last 6,734.11 (Fri 13 Nov 2026, 14:05 New York time), +121.81 (+1.84%) over the range.',
  );
});

test('distinguishes a close from a quote within the session', () => {
  expect(closesView(MONTH).running).toBe(true);
  expect(closesView(MONTH.slice(0, -1)).running).toBe(false);
  expect(closesView(MONTH).points.slice(-2)).toMatchObject([
    { value: 6701.46, text: '6,701.46', dateText: 'Thu 12 Nov 2026', note: 'close' },
    { value: 6734.11, text: '6,734.11', dateText: 'Fri 13 Nov 2026', note: 'at 14:05' },
  ]);
});

test('each point but the first states its change since the point before', () => {
  const { points } = closesView(MONTH);
  expect(points.map(({ changeText }) => changeText)).toEqual([
    null,
    '−22.10 (−0.33%) since Wed 14 Oct',
    '+59.80 (+0.91%) since Fri 16 Oct',
    '+51.46 (+0.77%) since Mon 19 Oct',
    '+32.65 (+0.49%) since Thu 12 Nov',
  ]);
});

test('the axes have round prices and the first session of each week', () => {
  const { low, high, levels, ticks } = closesView(MONTH);
  expect([low, high]).toEqual([6550, 6750]);
  expect(levels.map(({ text }) => text)).toEqual(['6,550', '6,600', '6,650', '6,700', '6,750']);
  expect(ticks).toEqual([
    { at: 0, text: '14 Oct' },
    { at: 2, text: '19 Oct' },
    { at: 3, text: '12 Nov' },
  ]);
});

test('sessions have equal distances, also over a weekend', () => {
  const { points, from, to } = closesView(MONTH);
  expect([from, ...points.map(({ at }) => at), to]).toEqual([0, 0, 1, 2, 3, 4, 4]);
});

test('closes of demonstration data are marked', () => {
  expect(closesView(MONTH).demo).toBeNull();
  expect(closesView([{ ...close(5, '2026-11-13T21:00:00.000Z'), source: 'simulated' }]).demo?.text).toBe(
    'Demo data: invented numbers',
  );
});

test('has a sentence instead of a chart if no close can be drawn', () => {
  for (const closes of [[], [close(1e300, '2026-11-13T21:00:00.000Z')]]) {
    const view = closesView(closes);
    expect(view.points).toEqual([]);
    expect(view.emptyText).toMatch(/^No closes of the S&P 500/);
    expect(view.asOfText).toBeNull();
  }
});

test('a single close has no change and is inside its axis', () => {
  const view = closesView([close(6700, '2026-11-13T21:00:00.000Z')]);
  expect(view.change).toBeNull();
  expect(view.low).toBeLessThan(6700);
  expect(view.high).toBeGreaterThan(6700);
});

test('has round steps and covers every value', () => {
  expect(valueAxis([6612.3, 6734.1], 4)).toEqual({
    low: 6600,
    high: 6750,
    ticks: [6600, 6650, 6700, 6750],
    decimals: 0,
  });
  expect(valueAxis([6500, 6502], 4).ticks).toEqual([6500, 6500.5, 6501, 6501.5, 6502]);
  expect(valueAxis([0.9, 1.0], 4)).toMatchObject({ decimals: 3 });
});

test('surrounds a flat line', () => {
  const { low, high } = valueAxis([6700], 4);
  expect(low).toBeLessThan(6700);
  expect(high).toBeGreaterThan(6700);
});

test('has few ticks and ends outside the values, for any values', () => {
  for (const [least, greatest] of [
    [1e-6, 2e-6],
    [1, 9.99e14],
    [4999.99, 5000.01],
    [3, 17],
  ] as const) {
    const { low, high, ticks } = valueAxis([least, greatest], 4);
    expect(low).toBeLessThanOrEqual(least);
    expect(high).toBeGreaterThanOrEqual(greatest);
    expect(ticks.length).toBeGreaterThanOrEqual(2);
    expect(ticks.length).toBeLessThanOrEqual(7);
  }
});
