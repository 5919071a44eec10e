import { describe, expect, it } from 'vitest';
import { asDisplayed } from '#domain/bands/precision.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { mondayOfWeek, type RecordSegment, recordLine, recordView, recordWeekView } from './record-view.ts';

const only = (rows: RecordRows) => {
  const [segment] = recordView(rows).segments;
  if (segment === undefined) throw new Error('The record has no segment.');
  return segment;
};

const weeksOf = ({ years }: RecordSegment) => years.flatMap(({ weeks }) => weeks);

describe('the record', () => {
  it.each([3, 12, 60, 300])('has each of %i weeks once, newest first, with its own grades', (count) => {
    const rows = recordOf(count);
    const weeks = weeksOf(only(rows));
    const expected = rows.weeks.toReversed().map((week) => ({
      signal: week.status === 'withheld' ? 'withheld' : `${week.verdict} ${week.score?.toFixed(1)}`,
      changes: [1, 4, 13].map((horizon) => {
        const grade = rows.grades.findLast((one) => one.week === week.week && one.horizon_weeks === horizon);
        if (grade === undefined) return 'pending';
        if (grade.change_percent === null) return 'void';
        return asDisplayed('changePercent', grade.change_percent);
      }),
    }));
    expect(weeks).toHaveLength(count);
    expect(
      weeks.map(({ signalText, cells }) => ({
        signal: signalText,
        changes: cells.map(({ changeText, stateText }) =>
          changeText === null ? stateText : Number(changeText.replace('−', '-')),
        ),
      })),
    ).toEqual(expected);
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

  it('counts and lists the weeks without a decision, by market', () => {
    const { weeks, grades } = recordOf(20, (at) => ({ source: at < 8 ? 'simulated' : 'live' }));
    const without = (...missing: number[]) =>
      recordView({ grades, weeks: weeks.filter((_, at) => !missing.includes(at)) }).missingText;
    expect(without()).toBe('No week between the first and the last one lacks a decision.');
    expect(without(0, 7, 8, 19)).toBe(without());
    expect(without(10)).toBe('1 week has no decision: 2020-W12.');
    expect(without(2, 10, 11)).toBe('3 weeks have no decision: 2020-W12, 2020-W13, 2020-W04.');
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
      const { summary } = segment;
      const graded = weeksOf(segment).filter(({ cells }) => cells[0]?.changeText != null).length;
      expect(summary.at(-1)?.cells[0]).toMatchObject({
        ...{ countText: `${graded} windows`, apartText: `${graded} apart` },
      });
    }
  });

  it('has a mean from 8 windows that do not overlap on', () => {
    const cellsOf = (count: number) => only(recordOf(count)).summary.flatMap(({ cells }) => cells);
    for (const { meanText, edgeText, countText, apartText } of [3, 12, 60, 300].flatMap(cellsOf)) {
      expect(meanText !== null).toBe(Number.parseInt(apartText, 10) >= 8);
      expect(edgeText === '—').toBe(Number.parseInt(countText, 10) === 0);
    }
  });

  it('has the highest change after SELL', () => {
    const rows = recordOf(60);
    const changes = rows.weeks
      .filter(({ verdict }) => verdict === 'SELL')
      .flatMap(
        ({ week }) => rows.grades.findLast((one) => one.week === week && one.horizon_weeks === 1) ?? [],
      )
      .flatMap(({ change_percent }) => change_percent ?? []);
    const cell = only(rows).summary.find(({ name }) => name === 'After SELL')?.cells[0];
    expect(Number(cell?.edgeText.replace('−', '-'))).toBeCloseTo(Math.max(...changes), 2);
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
      const dates = datesText?.replaceAll('\u00a0', ' ');
      expect([changeText, dates, afterSellText].join('; ')).toMatch(
        /^[+−]\d+\.\d\d; \d+ Jan( \d{4})? to \d+ (Jan|Dec) \d{4}; −\d\.\d\d\u00a0to \+\d\.\d\d$/,
      );
    }
  });

  it('measures a year from its first close to the first close of the next year', () => {
    const rows = recordOf(60);
    const [, first] = only(rows).years;
    const entry = (week: string) =>
      rows.grades.findLast((one) => one.week === week && one.horizon_weeks === 1)?.entry_close ?? Number.NaN;
    const change = 100 * (entry('2021-01-04') / entry('2020-01-06') - 1);
    expect(first?.datesText?.replaceAll('\u00a0', ' ')).toBe('13 Jan 2020 to 11 Jan 2021');
    expect(Number(first?.changeText.replace('−', '-'))).toBe(asDisplayed('changePercent', change));
  });

  it('is empty without weeks', () => {
    expect(recordView({ weeks: [], grades: [] })).toEqual({
      ...{ segments: [], missingText: null },
      anchors: { checkpoints: [], places: [] },
    });
  });
});

describe('the line on the signal card', () => {
  it('shows the first week and the number of weeks, and states that there are too few', () => {
    expect(recordLine(recordOf(43), 'live')).toBe(
      'On record since 11 Jan 2020: 43 weeks; 11 four-week results after BUY, 14 after SELL: too few to say',
    );
    expect(recordLine(recordOf(300), 'csv')).toBe('On record since 11 Jan 2020: 300 weeks');
    expect(recordLine(recordOf(1), null)).toBe(
      'On record since 11 Jan 2020: 1 week; 0 four-week results after BUY, 0 after SELL: too few to say',
    );
  });

  it('counts only weeks of the market that the page shows', () => {
    const rows = recordOf(12, (at) => ({ source: at < 10 ? 'simulated' : 'live' }));
    expect(recordLine(rows, 'live')).toBe(
      'On record since 21 Mar 2020: 2 weeks; 0 four-week results after BUY, 0 after SELL: too few to say',
    );
    expect(recordLine(rows, 'simulated')).toMatch(/^Demo record since 11 Jan 2020: 10 weeks; /);
    expect(recordLine(rows, 'replay')).toBeNull();
  });

  it('is absent without weeks', () => {
    expect(recordLine({ weeks: [], grades: [] }, 'live')).toBeNull();
  });
});

it('says which weeks of a demonstration were computed later, on the page of the week too', () => {
  const rows = recordOf(4, (at) => ({ source: 'simulated', origin: at < 3 ? 'rebuilt' : 'live' }));
  const invented = 'A simulated market with invented numbers.';
  expect(recordView(rows).segments[0]?.demoNote).toBe(
    `${invented} 3 weeks were computed later; nobody received their mails.`,
  );
  const notes = [0, 3].map((at) => recordWeekView(rows, rows.weeks[at]?.week ?? '')?.demoNote);
  expect(notes).toEqual([`${invented} This week was computed later; nobody received its mail.`, invented]);
});

describe('the page of a week', () => {
  const rows = recordOf(60);

  it('shows every grade of the week, also replaced ones', () => {
    const replacing = rows.grades.find(({ replaces }) => replaces !== null);
    const view = recordWeekView(rows, replacing?.week ?? '');
    const own = rows.grades.filter(({ week }) => week === replacing?.week);
    expect(view?.grades.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(own.map(({ id }) => id));
    expect(view?.grades.find(({ id }) => id === replacing?.replaces)?.note).toBe(
      'Replaced: a close was corrected or arrived late.',
    );
    expect(view?.grades.find(({ id }) => id === replacing?.id)?.note).toBeNull();
  });

  it('names the end of each window without a grade', () => {
    const newest = recordWeekView({ ...rows, grades: [] }, '2020-01-06');
    expect(newest?.pending).toEqual([
      { horizonText: '1 week', endText: 'Ends with the close of Tue 21 Jan 2020' },
      { horizonText: '4 weeks', endText: 'Ends with the close of Mon 10 Feb 2020' },
      { horizonText: '13 weeks', endText: 'Ends with the close of Mon 13 Apr 2020' },
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
    expect(line).toMatchObject({
      changeText: 'void',
      note: expect.stringMatching(/^No S&P 500 close of \d{4}-\d\d-\d\d is stored\.$/),
    });
  });

  it('states the distances to the other verdicts and the change since the week before', () => {
    const rows = recordOf(3);
    const scored = (...scores: readonly (readonly ['SELL' | 'HOLD' | 'BUY', number])[]) => ({
      ...rows,
      weeks: rows.weeks.map((week, at) => ({
        ...week,
        verdict: scores[at]?.[0] ?? null,
        score: scores[at]?.[1] ?? null,
      })),
    });
    const textsOf = (record: RecordRows) =>
      record.weeks.map(({ week }) => recordWeekView(record, week)?.distanceText);
    expect(textsOf(scored(['SELL', 30.3], ['HOLD', 48.5], ['BUY', 61]))).toEqual([
      '10.7 points from HOLD, 30.7 from BUY.',
      '7.6 points from SELL, 12.5 from BUY. 18.2 points higher than in 2020-W02, which was SELL.',
      '0.1 points from HOLD, 20.1 from SELL. 12.5 points higher than in 2020-W03, which was HOLD.',
    ]);
    expect(textsOf(scored(['HOLD', 48.5], ['HOLD', 48.5]))).toEqual([
      '7.6 points from SELL, 12.5 from BUY.',
      '7.6 points from SELL, 12.5 from BUY. The same score as in 2020-W02, which was HOLD.',
      null,
    ]);
  });

  it('has the closes from 13 weeks before it to 13 weeks after it, as far as they are known', () => {
    const rows = recordOf(60);
    const around = (at: number) => recordWeekView(rows, rows.weeks[at]?.week ?? '')?.around;
    const places = (at: number) =>
      around(at)
        ?.lines.flat()
        .map((point) => point.at) ?? [];
    expect([places(0).at(0), places(0).at(-1), places(30).at(0), places(30).at(-1)]).toEqual([
      0, 13, -13, 13,
    ]);
    expect(around(0)?.ends.map(({ at }) => at)).toEqual([0, 1, 4, 13]);
    expect(places(59).every((at) => at <= 0)).toBe(true);
    expect(recordWeekView(recordOf(1), '2020-01-06')?.around).toBeNull();
  });

  it('names the weeks before and after it', () => {
    expect(recordWeekView(rows, '2020-01-06')).toMatchObject({ previous: null, next: '2020-W03' });
    expect(recordWeekView(rows, '2020-01-13')).toMatchObject({ previous: '2020-W02', next: '2020-W04' });
  });

  it('exists for decided weeks only', () => {
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
