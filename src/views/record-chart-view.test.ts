import { describe, expect, it } from 'vitest';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { type ChartWeek, recordChartView } from './record-chart-view.ts';

/** Weeks from Mon 30 Dec 2024 on, such as 'B100 S90 H-': verdict (- for withheld) and close (- for none). */
const weeks = (text: string): ChartWeek[] =>
  text.split(' ').map((word, at) => {
    const monday = parseDay('2024-12-30') + 7 * at;
    return {
      week: formatDay(monday),
      verdict: ({ B: 'BUY', H: 'HOLD', S: 'SELL' } as const)[word.charAt(0)] ?? null,
      entrySession: formatDay(monday + 7),
      close: word.endsWith('-') ? null : Number(word.slice(1)),
    };
  });
const spaced = (text: string) => text.replaceAll('\u00a0', ' ');
const chartOf = (text: string) => {
  const chart = recordChartView(weeks(text));
  if (chart === null) throw new Error('There is no chart.');
  return chart;
};

describe('the chart of the record', () => {
  it.each(['B-', 'B100', 'B100 H-', 'H- S-'])('is absent with fewer than two closes: %s', (text) => {
    expect(recordChartView(weeks(text))).toBeNull();
  });

  it('joins weeks with one verdict, and leaves out withheld weeks', () => {
    const { spells, span, verdictsText } = chartOf('B100 B101 S102 -103 S104 S105');
    const runs = spells.map(({ verdict, runs }) => [
      verdict,
      ...runs.map(({ at, weeks }) => `${weeks} from ${at}`),
    ]);
    expect(runs).toEqual([['BUY', '2 from 0'], ['HOLD'], ['SELL', '1 from 2', '2 from 4']]);
    expect(span).toEqual({ from: 0, to: 6 });
    expect(spaced(verdictsText)).toBe('SELL in 3 of 6 weeks, BUY in 2, withheld in 1');
  });

  it('interrupts the line at a week without a close or without a decision', () => {
    const all = weeks('B100 B101 B- B103 B104 B105');
    const lines = [all, all.filter((_, at) => at !== 4)].map((some) =>
      recordChartView(some)?.lines.map((line) => line.map(({ at }) => at).join()),
    );
    expect(lines).toEqual([
      ['0,1', '3,4,5'],
      ['0,1', '3', '5'],
    ]);
  });

  it('says in words that bands or closes are missing', () => {
    const band = 'Weeks without a signal have no mark in the strips.';
    const line = 'The line breaks where a close is missing.';
    expect(chartOf('B100 B101 B102').gapsText).toBeNull();
    expect(chartOf('B100 -101 B102').gapsText).toBe(band);
    expect(chartOf('B100 B- B102').gapsText).toBe(line);
    const all = weeks('B100 B101 B102 B103');
    expect(recordChartView(all.filter((_, at) => at !== 1))?.gapsText).toBe(`${band} ${line}`);
  });

  it('names the largest falls with the verdicts within them', () => {
    const { falls, summary } = chartOf('B100 S80 H90 B120 S110 S60');
    expect(falls.map(({ at, value, percentText, text }) => [at, value, percentText, spaced(text)])).toEqual([
      [5, 60, '−50.00%', 'from 27 Jan 2025 to 10 Feb 2025: BUY in 1 of 2 weeks, SELL in 1'],
      [1, 80, '−20.00%', 'from 6 Jan 2025 to 13 Jan 2025: BUY in 1 of 1 week'],
    ]);
    expect(summary).toContain('from 100.00 on 6 Jan 2025 to 60.00 on 10 Feb 2025');
  });

  it.each([
    ['equal closes', 'H100 H100 H100'],
    ['a rise of 900 %', 'B100 B1000'],
    ['a fall by 99 %', 'S1000 S10 S10.01'],
  ])('has a finite scale that contains %s', (_name, text) => {
    const { scale, lines, levels } = chartOf(text);
    for (const { value } of lines.flat()) {
      expect(value).toBeGreaterThanOrEqual(scale.low);
      expect(value).toBeLessThanOrEqual(scale.high);
    }
    expect(scale.low).toBeGreaterThanOrEqual(0);
    expect(scale.high).toBeGreaterThan(scale.low);
    expect(new Set(levels.map((level) => level.text)).size).toBe(levels.length);
  });

  it('marks each new year, each new month of a short record, and the weeks of a very short one', () => {
    const ticks = (count: number) =>
      chartOf(Array(count).fill('B100').join(' ')).ticks.map(({ at, text }) => `${at}: ${text}`);
    expect([2, 10, 110].map(ticks)).toEqual([
      ['0: 6 Jan', '1: 13 Jan'],
      ['4: Feb 2025', '8: Mar 2025'],
      ['52: 2026', '104: 2027'],
    ]);
  });
});
