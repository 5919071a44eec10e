import { describe, expect, it } from 'vitest';
import { asDisplayed } from '#domain/bands/precision.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { type RecordSegment, recordLine, recordView } from './record-view.ts';
import { mondayOfWeek, recordWeekView } from './record-week-view.ts';

const COUNTS = [3, 12, 60, 300];
const only = (rows: RecordRows) => {
  const [segment] = recordView(rows).segments;
  if (segment === undefined) throw new Error('The record has no segment.');
  return segment;
};
const weeksOf = ({ years }: RecordSegment) => years.flatMap(({ weeks }) => weeks);
const numberIn = (text: string | null | undefined) => Number(text?.replace('−', '-'));
const gradeOf = ({ grades }: RecordRows, week: string, horizon: number) =>
  grades.findLast((one) => one.week === week && one.horizon_weeks === horizon);
const spaced = (text: string | null | undefined) => text?.replaceAll('\u00a0', ' ');

describe('the record', () => {
  it.each(COUNTS)('has each of %i weeks once, newest first, with its own grades', (count) => {
    const rows = recordOf(count);
    const shown = weeksOf(only(rows)).map(({ signalText, cells }) => [
      signalText,
      ...cells.map(({ changeText, stateText }) => stateText ?? numberIn(changeText)),
    ]);
    const expected = rows.weeks.toReversed().map(({ week, status, verdict, score }) => [
      status === 'withheld' ? 'withheld' : `${verdict} ${score?.toFixed(1)}`,
      ...[1, 4, 13].map((horizon) => {
        const grade = gradeOf(rows, week, horizon);
        if (grade === undefined) return 'pending';
        return grade.change_percent === null ? 'void' : asDisplayed('changePercent', grade.change_percent);
      }),
    ]);
    expect(shown).toHaveLength(count);
    expect(shown).toEqual(expected);
  });

  it('names the change that the longest bar of each column stands for', () => {
    const segment = only(recordOf(60));
    const longest = [0, 1, 2].map((at) => {
      const changes = weeksOf(segment).map(({ cells }) => cells[at]?.changeText?.slice(1) ?? 0);
      return Math.max(...changes.map(Number)).toFixed(2);
    });
    expect(segment.barsText).toBe(
      `The bars of each column have their own scale. The longest: ${longest[0]} after 1 week, ${longest[1]} after 4 weeks, ${longest[2]} after 13 weeks.`,
    );
    expect(only(recordOf(1)).barsText).toBeNull();
  });

  it.each([
    [[], 'No week between the first and the last one lacks a decision.'],
    [[0, 7, 8, 19], 'No week between the first and the last one lacks a decision.'],
    [[10], '1 week has no decision: 2020-W12.'],
    [[2, 10, 11], '3 weeks have no decision: 2020-W12, 2020-W13, 2020-W04.'],
  ])('counts and lists the weeks without a decision, by market: %j', (missing, text) => {
    const { weeks, grades } = recordOf(20, (at) => ({ source: at < 8 ? 'simulated' : 'live' }));
    const left = weeks.filter((_, at) => !missing.includes(at));
    expect(recordView({ grades, weeks: left }).missingText).toBe(text);
  });

  it('never pools demonstration data with live data, nor two formulas', () => {
    const rows = recordOf(120, (at) => ({
      source: at < 40 ? 'simulated' : at < 60 ? 'replay' : at < 80 ? 'csv' : 'live',
      formula_version: at < 100 ? '2' : '3',
    }));
    const { segments } = recordView(rows);
    expect(segments.map((segment) => [segment.title, segment.demoText, weeksOf(segment).length])).toEqual([
      ['Weekly signals, formula 3', null, 20],
      ['Weekly signals, formula 2', null, 40],
      ['Demonstration over past market data, formula 2', 'demo', 20],
      ['Demonstration over a simulated market, formula 2', 'demo', 40],
    ]);
    for (const segment of segments) {
      const graded = weeksOf(segment).filter(({ cells }) => cells[0]?.changeText != null).length;
      const counts = { countText: `${graded} windows`, apartText: `${graded} apart` };
      expect(segment.summary.at(-1)?.cells[0]).toMatchObject(counts);
    }
  });

  it.each(COUNTS)('has a mean from 8 windows that do not overlap on, over %i weeks', (count) => {
    const cells = only(recordOf(count)).summary.flatMap((group) => group.cells);
    for (const { meanText, edgeText, countText, apartText } of cells) {
      expect(meanText !== null).toBe(Number.parseInt(apartText, 10) >= 8);
      expect(edgeText === '—').toBe(Number.parseInt(countText, 10) === 0);
    }
  });

  it('has the highest change after SELL', () => {
    const rows = recordOf(60);
    const sold = rows.weeks.filter(({ verdict }) => verdict === 'SELL');
    const changes = sold.flatMap(({ week }) => gradeOf(rows, week, 1)?.change_percent ?? []);
    const cell = only(rows).summary.find(({ name }) => name === 'After SELL')?.cells[0];
    expect(numberIn(cell?.edgeText)).toBeCloseTo(Math.max(...changes), 2);
  });

  it('has one primary figure, which needs enough windows after BUY and after SELL', () => {
    expect(only(recordOf(43)).primary).toEqual({
      text: 'Too few to say',
      basisText: '11 four-week results after\u00a0BUY, 14 after\u00a0SELL',
      note: expect.any(String),
    });
    expect(only(recordOf(300)).primary).toEqual({
      text: expect.stringMatching(/^[+−]\d+\.\d\d percentage points$/),
      basisText: expect.stringMatching(
        /^90% interval [+−]\d+\.\d\d\u00a0to [+−]\d+\.\d\d: it contains 0, so these weeks show no difference\.$/,
      ),
      note: expect.stringMatching(
        /^The difference is that of the unrounded means\. Lowest after BUY −\d+\.\d\d%, highest after SELL \+\d+\.\d\d%\. All weeks: mean [+−]\d+\.\d\d%, lowest −\d+\.\d\d%\.$/,
      ),
    });
  });

  it('says for each year how often each verdict was given, and how the market changed', () => {
    const rows = recordOf(104);
    const { years } = only(rows);
    expect(years.map(({ year }) => year)).toEqual(['2021', '2020']);
    for (const { year, counts, withheldText, changeText, datesText, afterSellText } of years) {
      const own = rows.weeks.filter(({ week }) => week.startsWith(year));
      const of = (verdict: string | null) => own.filter((week) => week.verdict === verdict).length;
      expect(counts).toEqual(['BUY', 'HOLD', 'SELL'].map((verdict) => ({ verdict, count: of(verdict) })));
      expect(withheldText).toBe(`${of(null)}\u00a0withheld`);
      expect([changeText, spaced(datesText), spaced(afterSellText)].join('; ')).toMatch(
        /^[+−]\d+\.\d\d; \d+ Jan( \d{4})? to \d+ (Jan|Dec) \d{4}; −\d\.\d\d to \+\d\.\d\d$/,
      );
    }
  });

  it('measures a year from its first close to the first close of the next year', () => {
    const rows = recordOf(60);
    const [, first] = only(rows).years;
    const entry = (week: string) => gradeOf(rows, week, 1)?.entry_close ?? Number.NaN;
    const change = 100 * (entry('2021-01-04') / entry('2020-01-06') - 1);
    expect(spaced(first?.datesText)).toBe('13 Jan 2020 to 11 Jan 2021');
    expect(numberIn(first?.changeText)).toBe(asDisplayed('changePercent', change));
  });

  it('is empty without weeks', () => {
    const anchors = { checkpoints: [], places: [] };
    expect(recordView({ weeks: [], grades: [] })).toEqual({ segments: [], missingText: null, anchors });
  });

  it('says which weeks of a demonstration were computed later, on the page of the week too', () => {
    const rows = recordOf(4, (at) => ({ source: 'simulated', origin: at < 3 ? 'rebuilt' : 'live' }));
    const invented = 'A simulated market with invented numbers.';
    const later = `${invented} 3 weeks were computed later; nobody received their mails.`;
    expect(only(rows).demoNote).toBe(later);
    const notes = [0, 3].map((at) => recordWeekView(rows, rows.weeks[at]?.week ?? '')?.demoNote);
    expect(notes).toEqual([`${invented} This week was computed later; nobody received its mail.`, invented]);
  });
});

const few = (buy: number, sell: number) =>
  `${buy} four-week results after BUY, ${sell} after SELL: too few to say`;
const mixed = recordOf(12, (at) => ({ source: at < 10 ? 'simulated' : 'live' }));
it.each<[string, RecordRows, string | null, string | null]>([
  ['a year', recordOf(43), 'live', `On record since 11 Jan 2020: 43 weeks; ${few(11, 14)}`],
  ['enough weeks', recordOf(300), 'csv', 'On record since 11 Jan 2020: 300 weeks'],
  ['one week', recordOf(1), null, `On record since 11 Jan 2020: 1 week; ${few(0, 0)}`],
  ['the actual market', mixed, 'live', `On record since 21 Mar 2020: 2 weeks; ${few(0, 0)}`],
  ['the demonstration', mixed, 'simulated', `Demo record since 11 Jan 2020: 10 weeks; ${few(2, 1)}`],
  ['no week of the market', mixed, 'replay', null],
  ['no week', { weeks: [], grades: [] }, 'live', null],
])(
  'the line on the signal card counts the weeks of the shown market since the first one: %s',
  (_, rows, source, text) => {
    expect(recordLine(rows, source)).toBe(text);
  },
);

describe('the page of a week', () => {
  const rows = recordOf(60);

  it('shows every grade of the week, also replaced ones', () => {
    const replacing = rows.grades.find(({ replaces }) => replaces !== null);
    const { grades = [] } = recordWeekView(rows, replacing?.week ?? '') ?? {};
    const own = rows.grades.filter(({ week }) => week === replacing?.week);
    expect(grades.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(own.map(({ id }) => id));
    const noteOf = (id: number | null | undefined) => grades.find((grade) => grade.id === id)?.note;
    expect(noteOf(replacing?.replaces)).toBe('Replaced: a close was corrected or arrived late.');
    expect(noteOf(replacing?.id)).toBeNull();
  });

  it('names the end of each window without a grade', () => {
    const { pending = [] } = recordWeekView({ ...rows, grades: [] }, '2020-01-06') ?? {};
    expect(pending.map(({ horizonText, endText }) => `${horizonText}: ${endText}`)).toEqual([
      '1 week: Ends with the close of Tue 21 Jan 2020',
      '4 weeks: Ends with the close of Mon 10 Feb 2020',
      '13 weeks: Ends with the close of Mon 13 Apr 2020',
    ]);
    expect(recordWeekView(rows, '2020-01-06')?.pending).toEqual([]);
  });

  it('shows the reason of a withheld week and of a void grade', () => {
    const withheld = rows.weeks.find(({ status }) => status === 'withheld');
    expect(recordWeekView(rows, withheld?.week ?? '')).toMatchObject({
      ...{ signalText: 'withheld', verdict: null },
      reason: 'The newest numbers are of Thu, but the session of Fri has closed since.',
    });
    const voided = rows.grades.find(({ status }) => status === 'void');
    const line = recordWeekView(rows, voided?.week ?? '')?.grades.find(({ id }) => id === voided?.id);
    expect(line?.changeText).toBe('void');
    expect(line?.note).toMatch(/^No S&P 500 close of \d{4}-\d\d-\d\d is stored\.$/);
  });

  it.each([
    [
      'SELL 30.3, HOLD 48.5, BUY 61',
      '10.7 points from HOLD, 30.7 from BUY.',
      '7.6 points from SELL, 12.5 from BUY. 18.2 points higher than in 2020-W02, which was SELL.',
      '0.1 points from HOLD, 20.1 from SELL. 12.5 points higher than in 2020-W03, which was HOLD.',
    ],
    [
      'HOLD 48.5, HOLD 48.5',
      '7.6 points from SELL, 12.5 from BUY.',
      '7.6 points from SELL, 12.5 from BUY. The same score as in 2020-W02, which was HOLD.',
      null,
    ],
  ])('states the distances to the other verdicts, and the change in a week: %s', (signals, ...texts) => {
    const rows = recordOf(3);
    const weeks = rows.weeks.map((week, at) => {
      const [verdict = null, score = null] = signals.split(', ')[at]?.split(' ') ?? [];
      return { ...week, verdict: verdict as typeof week.verdict, score: score && Number(score) };
    }) as RecordRows['weeks'][number][];
    expect(weeks.map(({ week }) => recordWeekView({ ...rows, weeks }, week)?.distanceText)).toEqual(texts);
  });

  it('has the closes from 13 weeks before it to 13 weeks after it, as far as they are known', () => {
    const around = (at: number) => recordWeekView(rows, rows.weeks[at]?.week ?? '')?.around;
    const places = (at: number) => around(at)?.lines.flatMap((line) => line.map((point) => point.at)) ?? [];
    expect([0, 30].map((at) => [places(at).at(0), places(at).at(-1)])).toEqual([
      [0, 13],
      [-13, 13],
    ]);
    expect(around(0)?.ends.map(({ at }) => at)).toEqual([0, 1, 4, 13]);
    expect(places(59).every((at) => at <= 0)).toBe(true);
    expect(recordWeekView(recordOf(1), '2020-01-06')?.around).toBeNull();
  });

  it('names the weeks before and after it, and exists for decided weeks only', () => {
    expect(recordWeekView(rows, '2020-01-06')).toMatchObject({ previous: null, next: '2020-W03' });
    expect(recordWeekView(rows, '2020-01-13')).toMatchObject({ previous: '2020-W02', next: '2020-W04' });
    expect(recordWeekView(rows, '2030-01-07')).toBeNull();
  });

  it.each([
    ['2026-W47', { monday: '2026-11-16' }],
    ['2026-W54', { problem: 'There is no week 54 in 2026.' }],
    ['2026-W00', { problem: 'There is no week 0 in 2026.' }],
    ['garbage', { problem: 'This address names no week. Write a week as in 2026-W47.' }],
    ['', { problem: 'This address names no week. Write a week as in 2026-W47.' }],
  ])('"%s" is understood as %o', (name, expected) => {
    expect(mondayOfWeek(name)).toEqual(expected);
  });
});
