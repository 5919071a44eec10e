import { describe, expect, it } from 'vitest';
import { VERDICTS } from '#domain/bands/score-bands.ts';
import { MARKET_INDICES, parseRow, SECTOR_STRENGTH } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { CLOSE, EMPTY, FULL, fullWith, marketOf } from '#tests/support/dashboard-rows.ts';
import {
  rowsFrom,
  rowsOf,
  SATURDAY,
  sampleSignal,
  thinSignal,
  wholeSignal,
} from '#tests/support/weekly-signal.ts';
import { dashboardView } from './dashboard-view.ts';
import { weeklySignalView } from './weekly-signal-view.ts';

/** Rows in which every input has the given score, now and a week ago. */
function scoring(now: number, then: number | null): DashboardRows {
  const lastWeek = '2026-11-06T21:00:00.000Z';
  const fearGreed = then === null ? null : { index_value: then, index_label: null, created_at: lastWeek };
  return {
    ...FULL,
    ...marketOf(now, CLOSE),
    fearGreed: { ...fullWith({ current: { index_value: now } }).fearGreed, oneWeekAgo: fearGreed },
    weekAgo: then === null ? EMPTY.weekAgo : { ...marketOf(then, lastWeek), fearGreed },
  };
}

const subjectOf = (now: number, then: number | null) =>
  weeklySignalView(scoring(now, then), SATURDAY)?.subject;

it('explains the brackets of the headline, if it has any', () => {
  for (let score = 40; score <= 60; score += 1) {
    const { headline = '', effectsNote } = weeklySignalView(scoring(score, null), SATURDAY) ?? {};
    expect([score, effectsNote !== null]).toEqual([score, headline.includes('(')]);
  }
});

describe('the subject of the weekly signal', () => {
  it.each([
    [54.2, 50.8, 'HOLD 54: up 3.4 since last week'],
    [54.2, 57, 'HOLD 54: down 2.8 since last week'],
    [54.2, 54.2, 'HOLD 54: unchanged since last week'],
    [62.1, 58, 'BUY 62: up from HOLD last week'],
    [40.2, 62, 'SELL 40: down from BUY last week'],
    [42, 40, 'HOLD 42: up from SELL last week'],
    [53.9, null, 'HOLD 54: 7.1 points to BUY'],
    [61.2, null, 'BUY 61: 0.3 points to HOLD'],
    [0, null, 'SELL 0: 41.0 points to HOLD'],
    [100, null, 'BUY 100: 39.1 points to HOLD'],
  ])('of %f after %f is "%s"', (now, then, subject) => {
    expect(subjectOf(now, then)).toBe(subject);
  });

  it.each([
    [60.9, 'HOLD 60.9: '],
    [60.5, 'HOLD 60.5: '],
    [60.4, 'HOLD 60: '],
    [60.95, 'BUY 61: '],
    [40.5, 'SELL 40.5: '],
    [40.4, 'SELL 40: '],
    [41.2, 'HOLD 41: '],
  ])('of %f never names a number that reads as another verdict', (score, start) => {
    expect(subjectOf(score, null)?.startsWith(start)).toBe(true);
  });

  it('agrees with the verdict within its maximum length for any scores', () => {
    for (let now = 0; now <= 100; now += 0.35) {
      const subject = subjectOf(now, 100 - now) ?? '';
      const [, verdict, score] = /^(BUY|HOLD|SELL) (\d{1,3}(?:\.\d)?): /.exec(subject) ?? [];
      expect(VERDICTS.find(({ from }) => Number(score) >= from)?.verdict, subject).toBe(verdict);
      expect(subject.length).toBeLessThan(70);
    }
  });

  it.each(['simulated', 'replay'] as const)('marks demonstration data: %s', (source) => {
    const subject = 'HOLD 57 (demo data): up 7.5 since last week';
    expect(weeklySignalView(rowsFrom(source), SATURDAY)).toMatchObject({ subject, demo: { kind: source } });
    expect(sampleSignal().demo).toBeNull();
  });
});

describe('the weekly signal', () => {
  it('has the same texts as the page', () => {
    const page = dashboardView(FULL, SATURDAY);
    const { verdict, score, inputsText, measuredText, headline, next, ...rest } = page.signal;
    const { chipText: _, ...range } = rest.range ?? { chipText: null };
    const rows = rest.rows.map(({ effect: _, ...row }) => row);
    expect(sampleSignal()).toMatchObject({
      ...{ verdict, score, range, inputsText, measuredText, headline, rows, next },
      ...{ sinceLastWeek: rest.sinceLastWeek, asOf: rest.asOf, disclaimer: rest.disclaimer },
      demo: page.demo,
    });
    expect(sampleSignal().fearGreed?.current).toEqual(page.fearGreed?.current);
    const weekAgo = page.fearGreed?.earlier.find(({ key }) => key === 'oneWeekAgo');
    const { label, zone } = weekAgo ?? {};
    const lastWeek = { value: 52, text: '52.0', label, zone, dateText: '6 Nov 2026' };
    expect(sampleSignal().fearGreed?.lastWeek).toEqual(lastWeek);
    // On a holiday the calendar's week ends on another day than that of the mail's session.
    const fearGreed = { ...FULL.fearGreed, oneWeekAgo: FULL.fearGreed.previousClose };
    expect(weeklySignalView({ ...FULL, fearGreed }, SATURDAY)?.fearGreed?.lastWeek).toEqual(lastWeek);
    const price = { value: 6734.11, text: '6,734.11' };
    expect(sampleSignal().sp500).toEqual({ name: 'S&P 500', price, atText: 'at the close' });
    expect(wholeSignal()).toMatchObject({ range: null, inputsText: '7 of 7 inputs' });
  });

  it('names the time of a price within a session, not the close [R27]', () => {
    const view = weeklySignalView(rowsOf('2026-11-13T18:05:00.000Z'), SATURDAY);
    expect(view?.sp500?.atText).toBe('at 13:05 New York time');
  });

  it('is null without a verdict', () => {
    expect(weeklySignalView(EMPTY, SATURDAY)).toBeNull();
    expect(weeklySignalView({ ...FULL, metrics: null, indicators: null }, SATURDAY)).toBeNull();
  });

  it('omits unknown parts', () => {
    const inputsText = '6 of 7 inputs, 2 incomplete';
    const fearGreed = { lastWeek: null };
    expect(thinSignal()).toMatchObject({ sinceLastWeek: null, sp500: null, fearGreed, inputsText });
    expect(thinSignal().subject).toMatch(/^HOLD 57: \d\.\d points to BUY$/);
    const noIndex = { ...FULL, fearGreed: { ...FULL.fearGreed, current: null }, weekAgo: EMPTY.weekAgo };
    expect(weeklySignalView(noIndex, SATURDAY)).toMatchObject({ fearGreed: null, inputsText });
  });

  it('has only the S&P 500 of its own session, found by its symbol', () => {
    const thursday = rowsOf('2026-11-12T21:00:00.000Z').indices;
    expect(weeklySignalView({ ...FULL, indices: thursday }, SATURDAY)?.sp500).toBeNull();
    const others = FULL.indices.filter(({ symbol }) => symbol !== 'SPX');
    expect(weeklySignalView({ ...FULL, indices: others }, SATURDAY)?.sp500).toBeNull();
  });

  it('has only Fear & Greed of its own session', () => {
    const of = (created_at: string) => weeklySignalView(fullWith({ current: { created_at } }), SATURDAY);
    const inputs = (count: number) => ({ fearGreed: null, inputsText: `${count} of 7 inputs, 2 incomplete` });
    expect(of('2026-11-12T21:00:00.000Z')).toMatchObject(inputs(7));
    const old = of('2024-11-13T21:00:00.000Z');
    expect(old).toMatchObject(inputs(6));
    expect(old?.range).not.toBeNull();
    expect(old?.rows[0]?.note).toBe('too old: Wed 13 Nov 2024');
    expect(old?.sinceLastWeek?.text).toContain('7 of 7 inputs were measured then, 6 now');
  });

  it('removes control characters from any row', () => {
    const hostile = 'two\r\nBcc: a@example.com\u0000\u0007\u202e\u2028 lines';
    const indices = FULL.indices.flatMap((row) => parseRow(MARKET_INDICES, { ...row, name: hostile }) ?? []);
    const sectors = FULL.sectors.flatMap(
      (row) => parseRow(SECTOR_STRENGTH, { ...row, sector: hostile }) ?? [],
    );
    const view = weeklySignalView({ ...FULL, indices, sectors }, SATURDAY);
    expect(view?.sp500?.name).toBe('two Bcc: a@example.com lines');
    expect(JSON.stringify(view)).not.toMatch(/\\[nrtbf]|\\u00|[\p{Cc}\p{Cf}\u2028]/u);
  });
});
