import { VERDICTS } from '#domain/bands/score-bands.ts';
import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { type CloseWindow, compareMeans } from '#domain/record/compare-means.ts';
import { entrySessionOf, HORIZONS, type Horizon, marketOf } from '#domain/record/grade-weeks.ts';
import { summariseChanges, type WindowChange } from '#domain/record/summarise-changes.ts';
import { missingWeeks } from '#domain/record/weeks-of.ts';
import type { IssuedSignalRow, LedgerAnchors, RecordRows, SignalGradeRow } from '#schema/record-rows.ts';
import { anchorsView } from './anchors-view.ts';
import { writeDate, writeDateAndMonth, writeDay, writeDayWithoutYear } from './day.ts';
import { capitalised, countOf, countText, figureOf, unbroken } from './number.ts';
import { type ChartWeek, recordChartView } from './record-chart-view.ts';

export const TOO_FEW = 'too few to say';
const PRIMARY_HORIZON: Horizon = 4;
const RESULT = 'four-week result';
const MARKETS = [
  { market: 'actual', name: 'Weekly signals', demoNote: null },
  {
    market: 'replay',
    name: 'Demonstration over past market data',
    demoNote: 'Past market data, moved to today for demonstration.',
  },
  {
    market: 'simulated',
    name: 'Demonstration over a simulated market',
    demoNote: 'A simulated market with invented numbers.',
  },
] as const;

const GROUPS = [
  { name: 'After BUY', includes: ({ verdict }: IssuedSignalRow) => verdict === 'BUY', edge: 'lowest' },
  { name: 'After HOLD', includes: ({ verdict }: IssuedSignalRow) => verdict === 'HOLD', edge: 'lowest' },
  { name: 'After SELL', includes: ({ verdict }: IssuedSignalRow) => verdict === 'SELL', edge: 'highest' },
  { name: 'All weeks', includes: () => true, edge: 'lowest' },
] as const;

/** A change in percent with its sign: '+1.25'. */
export const changeText = (percent: number | null, suffix = '') =>
  figureOf('changePercent', percent, { signed: true, suffix }).text;

/** '−1.90 to +2.75', which can break only after 'to'. */
export const intervalText = ({ low, high }: { low: number; high: number }) =>
  `${changeText(low)}\u00a0to ${changeText(high)}`;

const decidedDay = ({ decided_at }: IssuedSignalRow) => marketDay(Date.parse(decided_at));

export const gradeKey = ({ week, horizon_weeks }: SignalGradeRow) => `${week} ${horizon_weeks}`;

/** The newest grade of each week and horizon, by `gradeKey`. */
export const newestGrades = (grades: readonly SignalGradeRow[]): ReadonlyMap<string, SignalGradeRow> =>
  new Map(grades.map((grade) => [gradeKey(grade), grade]));

export type Grades = ReturnType<typeof newestGrades>;

/** The newest grade of a week over one horizon. The length of `bar` is from −100 to 100, the largest change of the record. */
function cellOf(grade: SignalGradeRow | undefined, horizon: Horizon, most: number) {
  const state = grade === undefined ? 'pending' : grade.status === 'void' ? 'void' : null;
  const change = grade === undefined || state !== null ? null : grade.change_percent;
  return {
    horizon,
    changeText: state === null ? changeText(change) : null,
    stateText: state,
    isReplaced: grade?.replaces != null,
    bar: change === null || most === 0 ? null : Math.round((100 * change) / most),
  };
}

export function signalText({ verdict, score }: Pick<IssuedSignalRow, 'verdict' | 'score'>): string {
  return verdict === null ? 'withheld' : `${verdict} ${figureOf('score', score).text}`;
}

function weekRow(week: IssuedSignalRow, grades: Grades, most: readonly number[]) {
  return {
    name: isoWeekOf(week.week),
    dateText: writeDayWithoutYear(decidedDay(week)),
    signalText: signalText(week),
    verdict: week.verdict,
    cells: HORIZONS.map((horizon, at) =>
      cellOf(grades.get(`${week.week} ${horizon}`), horizon, most[at] ?? 0),
    ),
  };
}

export function chartWeeks(weeks: readonly IssuedSignalRow[], grades: Grades): ChartWeek[] {
  const windows = HORIZONS.flatMap((horizon) => windowsOf(weeks, grades, horizon).filter(hasCloses));
  const closes = new Map(
    windows.flatMap(({ entrySession, entryClose, exitSession, exitClose }) => [
      [entrySession, entryClose],
      [exitSession, exitClose],
    ]),
  );
  return weeks.map(({ week, verdict, decided_at }) => {
    const entrySession = entrySessionOf(Date.parse(decided_at));
    return { week, verdict, entrySession, close: closes.get(entrySession) ?? null };
  });
}

/** The first date of a range, with its year if the range ends in another one. */
const writeFrom = (from: string, to: string) =>
  from.slice(0, 4) === to.slice(0, 4) ? writeDateAndMonth(from) : writeDate(from);

const largestChanges = (weeks: readonly IssuedSignalRow[], grades: Grades) =>
  HORIZONS.map((horizon) =>
    Math.max(0, ...windowsOf(weeks, grades, horizon).map(({ changePercent }) => Math.abs(changePercent))),
  );

/** The weeks by year, newest first. `charted` has their closes, `most` the changes that the longest bars stand for. */
function yearsOf(
  weeks: readonly IssuedSignalRow[],
  charted: readonly ChartWeek[],
  grades: Grades,
  most: readonly number[],
) {
  const yearOf = ({ week }: { week: string }) => isoWeekOf(week).slice(0, 4);
  return [...new Set(weeks.map(yearOf))].reverse().map((year) => {
    const own = weeks.filter((week) => yearOf(week) === year);
    const last = charted.findLastIndex((week) => yearOf(week) === year);
    // A year ends with the first close of the next one, which ends the window of its last week.
    const closed = charted.filter(
      (week, at) => week.close !== null && (yearOf(week) === year || at === last + 1),
    );
    const [first, end] = [closed[0], closed.at(-1)];
    const hasChange = first?.close != null && end?.close != null && first !== end;
    const after = windowsOf(own.filter(GROUPS[2].includes), grades, 1);
    const { lowest, highest } = summariseChanges(after);
    const withheld = countWithheld(own);
    const withheldText = withheld === 0 ? null : unbroken(`${withheld} withheld`);
    const change = hasChange ? ((end.close ?? 0) / (first.close ?? 1) - 1) * 100 : null;
    const counts = VERDICTS.map(({ verdict }) => ({
      verdict,
      count: own.filter((week) => week.verdict === verdict).length,
    }));
    return {
      year,
      counts,
      withheldText,
      changeText: changeText(change),
      /** '12 BUY, 30 HOLD, 9 SELL, 1 withheld; S&P 500 +8.51%' */
      weeksText: [
        [...counts.map(({ verdict, count }) => `${count} ${verdict}`), withheldText]
          .filter((part) => part !== null)
          .join(', '),
        ...(change === null ? [] : [unbroken(`S&P 500 ${changeText(change, '%')}`)]),
      ].join('; '),
      datesText: hasChange
        ? [writeFrom(first.entrySession, end.entrySession), writeDate(end.entrySession)]
            .map(unbroken)
            .join('\u00a0to ')
        : null,
      afterSellText:
        lowest === null || highest === null
          ? null
          : [...new Set([lowest, highest].map(({ changePercent }) => changeText(changePercent)))].join(
              '\u00a0to ',
            ),
      weeks: own.map((week) => weekRow(week, grades, most)).reverse(),
    };
  });
}

/** 'All weeks: mean +0.42%' over a horizon, for the market and the formula of one week. */
export function allWeeksText(
  weeks: readonly IssuedSignalRow[],
  grades: Grades,
  { source, formula_version }: IssuedSignalRow,
  horizon: Horizon,
): string {
  const own = weeks.filter(
    (week) => marketOf(week.source) === marketOf(source) && week.formula_version === formula_version,
  );
  const { mean } = summariseChanges(windowsOf(own, grades, horizon));
  return `All weeks: ${mean === null ? TOO_FEW : `mean ${changeText(mean, '%')}`}`;
}

/** The window of a grade; its closes are null if they may not be published. */
type GradedWindow = WindowChange & Record<'entryClose' | 'exitClose', number | null>;

const hasCloses = (window: GradedWindow): window is GradedWindow & CloseWindow =>
  window.entryClose !== null && window.exitClose !== null;

function windowsOf(weeks: readonly IssuedSignalRow[], grades: Grades, horizon: Horizon): GradedWindow[] {
  return weeks.flatMap(({ week }) => {
    const grade = grades.get(`${week} ${horizon}`);
    if (grade?.change_percent == null) return [];
    const { entry_session, entry_close, exit_session, exit_close, change_percent } = grade;
    if (entry_session === null || exit_session === null) return [];
    const sessions = { entrySession: entry_session, exitSession: exit_session };
    return [
      { week, ...sessions, entryClose: entry_close, exitClose: exit_close, changePercent: change_percent },
    ];
  });
}

type Group = (typeof GROUPS)[number];

/** The windows after the weeks of a group over one horizon, and the lowest or highest change of them. */
function groupWindows(weeks: readonly IssuedSignalRow[], grades: Grades, group: Group, horizon: Horizon) {
  const windows = windowsOf(weeks.filter(group.includes), grades, horizon);
  const summary = summariseChanges(windows);
  return { windows, ...summary, edge: summary[group.edge]?.changePercent ?? null };
}

function summaryOf(weeks: readonly IssuedSignalRow[], grades: Grades, group: Group) {
  const cells = HORIZONS.map((horizon) => {
    const { mean, edge, count, separate, spells } = groupWindows(weeks, grades, group, horizon);
    return {
      horizon,
      meanText: mean === null ? null : changeText(mean),
      edgeName: group.edge,
      edgeText: changeText(edge),
      countText: countText(count, 'window'),
      // The windows that do not overlap.
      apartText: `${countOf(separate).text} apart`,
      spellsText: countText(spells, 'spell'),
    };
  });
  return { name: group.name, cells };
}

function primaryWindows(weeks: readonly IssuedSignalRow[], grades: Grades) {
  const [buy, , sell, all] = GROUPS;
  const of = (group: Group) => groupWindows(weeks, grades, group, PRIMARY_HORIZON);
  return { buy: of(buy), sell: of(sell), all: of(all) };
}

/** The results that are too few for the primary result, such as '5 four-week results after BUY, 24 after SELL'; null if there are enough. */
function fewText({ buy, sell }: ReturnType<typeof primaryWindows>): string | null {
  const few = [
    { verdict: 'BUY', ...buy },
    { verdict: 'SELL', ...sell },
  ].filter(({ mean }) => mean === null);
  const texts = few.map(
    ({ count, verdict }, at) => `${at === 0 ? countText(count, RESULT) : count} after ${verdict}`,
  );
  return texts.join(', ') || null;
}

/** The difference in words. It is none while zero is in its interval. */
function meaningOf({ low, high }: { low: number; high: number }): string {
  if (low <= 0 && high >= 0) return 'it contains 0, so these weeks show no difference.';
  return `the S&P 500 did ${low > 0 ? 'better' : 'worse'} after BUY than after SELL.`;
}

/** The mean change after BUY minus that after SELL, with its 90 % interval. */
function primaryOf(weeks: readonly IssuedSignalRow[], grades: Grades) {
  const windows = primaryWindows(weeks, grades);
  const { buy, sell, all } = windows;
  const few = fewText(windows);
  if (few !== null) {
    return {
      text: capitalised(TOO_FEW),
      basisText: few.replaceAll('after ', 'after\u00a0'),
      note: 'The difference needs 8 windows that do not overlap after BUY, and 8 after SELL.',
    };
  }
  const shown = { of: buy.windows.filter(hasCloses), with: sell.windows.filter(hasCloses) };
  const isComplete = shown.of.length === buy.windows.length && shown.with.length === sell.windows.length;
  const [difference] = isComplete ? compareMeans([shown]) : [];
  if (difference === undefined) {
    return {
      text: 'No difference can be shown',
      basisText: null,
      note: 'It is computed from closes of the S&P 500, and not all of them may be published.',
    };
  }
  return {
    text: changeText(difference.value, ' percentage points'),
    basisText: `90% interval ${intervalText(difference)}: ${meaningOf(difference)}`,
    note: `The difference is that of the unrounded means. Lowest after BUY ${changeText(buy.edge, '%')}, highest after SELL ${changeText(sell.edge, '%')}. All weeks: mean ${changeText(all.mean, '%')}, lowest ${changeText(all.edge, '%')}.`,
  };
}

const countWithheld = (weeks: readonly IssuedSignalRow[]) =>
  weeks.filter(({ status }) => status === 'withheld').length;

function spanText(weeks: readonly IssuedSignalRow[]): string {
  const withheld = countWithheld(weeks);
  const days = [...new Set([...weeks.slice(0, 1), ...weeks.slice(-1)].map(decidedDay))].map(writeDay);
  return `${days.join(' to ')}: ${countText(weeks.length, 'week')}, ${withheld === 0 ? 'none' : withheld} withheld`;
}

export function demoNoteOf(weeks: readonly IssuedSignalRow[]): string | null {
  const note = MARKETS.find(({ market }) => market === marketOf(weeks[0]?.source ?? null))?.demoNote ?? null;
  const rebuilt = weeks.filter(({ origin }) => origin === 'rebuilt').length;
  if (note === null || rebuilt === 0) return note;
  return weeks.length === 1
    ? `${note} This week was computed later; nobody received its mail.`
    : `${note} ${countText(rebuilt, 'week')} ${rebuilt === 1 ? 'was' : 'were'} computed later; nobody received their mails.`;
}

/** The weeks of one market under one version of the formula. Segments are never pooled. */
function segmentOf(
  { name }: (typeof MARKETS)[number],
  formula: string,
  weeks: readonly IssuedSignalRow[],
  grades: Grades,
  isMixed: boolean,
) {
  const charted = chartWeeks(weeks, grades);
  const demoNote = demoNoteOf(weeks);
  const most = largestChanges(weeks, grades);
  const summary = GROUPS.map((group) => summaryOf(weeks, grades, group));
  const hasMean = summary.some(({ cells }) => cells.some(({ meanText }) => meanText !== null));
  const mostTexts = HORIZONS.flatMap((horizon, at) =>
    most[at] ? [`${figureOf('changePercent', most[at]).text} after ${countText(horizon, 'week')}`] : [],
  );
  return {
    title: `${name}, formula ${formula}`,
    demoText: isMixed && demoNote !== null ? 'demo' : null,
    demoNote,
    spanText: spanText(weeks),
    primary: primaryOf(weeks, grades),
    // Without a mean the primary result says so.
    summary: hasMean ? summary : [],
    chart: recordChartView(charted),
    years: yearsOf(weeks, charted, grades, most),
    barsText:
      mostTexts.length === 0
        ? null
        : `The bars of each column have their own scale. The longest: ${mostTexts.join(', ')}.`,
  };
}
export type RecordSegment = ReturnType<typeof segmentOf>;

const weeksIn = (market: ReturnType<typeof marketOf>, weeks: readonly IssuedSignalRow[]) =>
  weeks.filter(({ source }) => marketOf(source) === market);

function missingText(weeks: readonly IssuedSignalRow[]): string | null {
  if (weeks.length === 0) return null;
  const names = MARKETS.flatMap(({ market }) =>
    missingWeeks(weeksIn(market, weeks).map(({ week }) => week)),
  ).map(isoWeekOf);
  if (names.length === 0) return 'No week between the first and the last one lacks a decision.';
  return `${countText(names.length, 'week')} ${names.length === 1 ? 'has' : 'have'} no decision: ${names.join(', ')}.`;
}

/** Every week on record with its newest grades. The actual market comes first, and a newer formula before an older one. */
export function recordView(
  { weeks, grades }: RecordRows,
  anchors: LedgerAnchors = { checkpoints: [], places: [] },
) {
  const newest = newestGrades(grades);
  const isMixed = weeks.some(({ source }) => marketOf(source) === 'actual');
  const segments = MARKETS.flatMap((market) => {
    const own = weeksIn(market.market, weeks);
    const formulas = [...new Set(own.map(({ formula_version }) => formula_version))].reverse();
    return formulas.map((formula) =>
      segmentOf(
        market,
        formula,
        own.filter(({ formula_version }) => formula_version === formula),
        newest,
        isMixed,
      ),
    );
  });
  return { segments, missingText: missingText(weeks), anchors: anchorsView(anchors) };
}
export type RecordView = ReturnType<typeof recordView>;

/** The weeks of the market that the page shows. `shown` is the source of its rows. */
export const weeksOfMarket = ({ weeks }: Pick<RecordRows, 'weeks'>, shown: string | null) =>
  weeksIn(marketOf(shown), weeks);

/**
 * The line on the signal card: 'On record since 22 Nov 2025: 43 weeks; 3 four-week results after SELL: too few to say'. Null
 * without weeks of its market, that of the source `shown`.
 */
export function recordLine({ weeks, grades }: RecordRows, shown: string | null): string | null {
  const own = weeksOfMarket({ weeks }, shown);
  const [first] = own;
  const newest = own.at(-1);
  if (first === undefined || newest === undefined) return null;
  const ofFormula = own.filter(({ formula_version }) => formula_version === newest.formula_version);
  const few = fewText(primaryWindows(ofFormula, newestGrades(grades)));
  const start = marketOf(shown) === 'actual' ? 'On record' : 'Demo record';
  return `${start} since ${writeDate(decidedDay(first))}: ${countText(own.length, 'week')}${few === null ? '' : `; ${few}: ${TOO_FEW}`}`;
}
