import { asDisplayed } from '#domain/bands/precision.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { isoWeekOf, mondayOfIsoWeek } from '#domain/calendar/iso-week.ts';
import { exitSessionOf, HORIZONS } from '#domain/record/grade-weeks.ts';
import { otherVerdicts } from '#domain/signal/next-verdict.ts';
import type { IssuedSignalRow, RecordRows, SignalGradeRow } from '#schema/record-rows.ts';
import { asOf, writeDay } from './day.ts';
import { countText, figureOf, UNKNOWN } from './number.ts';
import { recordChartView } from './record-chart-view.ts';
import {
  allWeeksText,
  changeText,
  chartWeeks,
  demoNoteOf,
  type Grades,
  newestGrades,
  signalText,
  weeksOfMarket,
} from './record-view.ts';

/** The Monday of a week such as '2026-W47', or one sentence with the reason why the text names no such week. */
export function mondayOfWeek(name: string): { monday: string } | { problem: string } {
  const monday = mondayOfIsoWeek(name);
  if (monday !== null) return { monday };
  const [, year, number] = /^(\d{4})-W(\d{2})$/.exec(name) ?? [];
  if (year === undefined) return { problem: 'This address names no week. Write a week as in 2026-W47.' };
  return { problem: `There is no week ${Number(number)} in ${year}.` };
}

const LONGEST = HORIZONS[HORIZONS.length - 1] ?? 13;

/** The S&P 500 at the closes after the decisions, from 13 weeks before a week to 13 weeks after it. Positions are weeks. */
function aroundWeek(weeks: readonly IssuedSignalRow[], grades: Grades, week: IssuedSignalRow) {
  const place = (monday: string) => (parseDay(monday) - parseDay(week.week)) / 7;
  const near = weeksOfMarket({ weeks }, week.source).filter((one) => Math.abs(place(one.week)) <= LONGEST);
  const chart = recordChartView(chartWeeks(near, grades));
  const first = near[0]?.week;
  if (chart === null || first === undefined) return null;
  const shift = place(first);
  const lines = chart.lines.map((line) => line.map(({ at, value }) => ({ at: at + shift, value })));
  const ends = [0, ...HORIZONS].flatMap((at) => lines.flat().find((point) => point.at === at) ?? []);
  return {
    span: { from: -LONGEST, to: LONGEST },
    scale: chart.scale,
    levels: chart.levels,
    ticks: [
      { at: -LONGEST, text: `−${countText(LONGEST, 'week')}` },
      { at: LONGEST, text: `+${countText(LONGEST, 'week')}` },
    ],
    // Too near to each other for an axis.
    near: [
      { at: 0, text: 'start' },
      ...HORIZONS.filter((at) => at < LONGEST).map((at) => ({ at, text: `+${at}` })),
    ],
    lines,
    ends,
    summary: `The S&P 500 from ${LONGEST} weeks before the signal to ${LONGEST} weeks after it. ${chart.summary}`,
  };
}

/** The distances of a verdict's score from the other verdicts, and its change since the week before. */
function distanceText(week: IssuedSignalRow, before: IssuedSignalRow | undefined): string | null {
  if (week.verdict === null || week.score === null) return null;
  const own = asDisplayed('score', week.score);
  const points = (distance: number) => figureOf('score', Math.abs(distance)).text;
  const [near, far] = otherVerdicts(own)
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ verdict, distance }, at) => `${points(distance)} ${at === 0 ? 'points ' : ''}from ${verdict}`);
  const to = `${near}, ${far}.`;
  if (before?.verdict == null || before.score === null) return to;
  const change = own - asDisplayed('score', before.score);
  const words = `${points(change)} points ${change < 0 ? 'lower' : 'higher'} than in ${isoWeekOf(before.week)}`;
  return `${to} ${change === 0 ? `The same score as in ${isoWeekOf(before.week)}` : words}, which was ${before.verdict}.`;
}

const closeText = (session: string | null, close: number | null) =>
  session === null ? UNKNOWN : `${writeDay(session)}, ${figureOf('price', close).text}`;

function gradeLine(grade: SignalGradeRow, isReplaced: boolean, allWeeks: string) {
  return {
    id: grade.id,
    horizonText: countText(grade.horizon_weeks, 'week'),
    entryText: closeText(grade.entry_session, grade.entry_close),
    exitText: closeText(grade.exit_session, grade.exit_close),
    changeText: grade.status === 'void' ? 'void' : changeText(grade.change_percent, '%'),
    allWeeksText: allWeeks,
    isReplaced,
    note: isReplaced ? 'Replaced: a close was corrected or arrived late.' : grade.reason,
    gradedText: asOf(grade.graded_at).text,
  };
}

/** The view of the week that begins on a Monday (`YYYY-MM-DD`); null if it has no decision. */
export function recordWeekView({ weeks, grades }: RecordRows, monday: string) {
  const at = weeks.findIndex(({ week }) => week === monday);
  const week = weeks[at];
  if (week === undefined) return null;
  const { verdict, score, range_low: low, range_high: high } = week;
  const nameOf = (other: IssuedSignalRow | undefined) => other && isoWeekOf(other.week);
  const own = grades.filter((grade) => grade.week === monday);
  const replaced = new Set(own.map(({ replaces }) => replaces));
  const newest = newestGrades(grades);
  const scoreText = (value: number | null) => figureOf('score', value).text;
  const range = low === null || high === null ? null : `${scoreText(low)} to ${scoreText(high)}`;
  const close = week.sp500_close === null ? null : figureOf('price', week.sp500_close).text;
  const facts = (
    [
      [week.origin === 'rebuilt' ? 'Computed as of' : 'Decided', asOf(week.decided_at).text],
      ['From the data of', week.session && writeDay(week.session)],
      ['Possible scores with missing inputs', range],
      ['S&P 500 at that close', close],
      ['Formula', week.formula_version],
    ] as const
  ).flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
  return {
    week: monday,
    title: `Signal of week ${isoWeekOf(week.week)}`,
    demoNote: demoNoteOf([week]),
    signalText: signalText(week),
    verdict,
    scoreText: verdict === null ? null : scoreText(score),
    session: week.session,
    scale: verdict === null || score === null ? null : { score: asDisplayed('score', score), low, high },
    distanceText: distanceText(week, weeks[at - 1]),
    around: aroundWeek(weeks, newest, week),
    facts,
    reason: week.reason,
    grades: own
      .toSorted((a, b) => a.horizon_weeks - b.horizon_weeks || b.id - a.id)
      .map((grade) => {
        const allWeeks = allWeeksText(weeks, newest, week, grade.horizon_weeks);
        return gradeLine(grade, replaced.has(grade.id), allWeeks);
      }),
    pending: HORIZONS.filter((horizon) => !own.some(({ horizon_weeks }) => horizon_weeks === horizon)).map(
      (horizon) => ({
        horizonText: countText(horizon, 'week'),
        endText: `Ends with the close of ${writeDay(exitSessionOf(Date.parse(week.decided_at), horizon))}`,
      }),
    ),
    previous: nameOf(weeks[at - 1]) ?? null,
    next: nameOf(weeks[at + 1]) ?? null,
  };
}
export type RecordWeekView = NonNullable<ReturnType<typeof recordWeekView>>;
