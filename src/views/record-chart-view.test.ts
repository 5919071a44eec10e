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
    expect(spells).toEqual([
      { verdict: 'BUY', runs: [{ at: 0, weeks: 2 }] },
      { verdict: 'HOLD', runs: [] },
      {
        verdict: 'SELL',
        runs: [
          { at: 2, weeks: 1 },
          { at: 4, weeks: 2 },
        ],
      },
    ]);
    expect([span, verdictsText]).toEqual([
      { from: 0, to: 6 },
      'SELL\u00a0in\u00a03\u00a0of\u00a06\u00a0weeks, BUY\u00a0in\u00a02, withheld\u00a0in\u00a01',
    ]);
  });

  it('interrupts the line at a week without a close or without a decision', () => {
    const all = weeks('B100 B101 B- B103 B104 B105');
    expect(recordChartView(all)?.lines.map((line) => line.map(({ at }) => at))).toEqual([
      [0, 1],
      [3, 4, 5],
    ]);
    expect(recordChartView(all.filter((_, at) => at !== 4))?.lines.map((line) => line.length)).toEqual([
      2, 1, 1,
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
    expect(falls).toEqual([
      {
        at: 5,
        value: 60,
        percentText: '−50.00%',
        text: 'from 27 Jan 2025 to 10 Feb 2025: BUY\u00a0in\u00a01\u00a0of\u00a02\u00a0weeks, SELL\u00a0in\u00a01',
      },
      {
        at: 1,
        value: 80,
        percentText: '−20.00%',
        text: 'from 6 Jan 2025 to 13 Jan 2025: BUY\u00a0in\u00a01\u00a0of\u00a01\u00a0week',
      },
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
    const ticks = (count: number) => chartOf(Array(count).fill('B100').join(' ')).ticks;
    expect(ticks(2).map(({ text }) => text)).toEqual(['6 Jan', '13 Jan']);
    expect(ticks(10)).toEqual([
      { at: 4, text: 'Feb 2025' },
      { at: 8, text: 'Mar 2025' },
    ]);
    expect(ticks(110)).toEqual([
      { at: 52, text: '2026' },
      { at: 104, text: '2027' },
    ]);
  });
});
