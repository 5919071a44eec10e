import { VERDICTS, type Verdict } from '#domain/bands/score-bands.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { worstFalls } from '#domain/record/worst-falls.ts';
import { valueAxis } from './closes-view.ts';
import { writeDate, writeDateAndMonth, writeMonth } from './day.ts';
import { countText, figureOf, unbroken, writeNumber } from './number.ts';

/** A week of the record, with the close from which its changes are measured. */
export interface ChartWeek {
  readonly week: string;
  readonly verdict: Verdict | null;
  /** The first session after the decision, and its S&P 500 close; null if the close is not known. */
  readonly entrySession: string;
  readonly close: number | null;
}

const DAYS_A_WEEK = 7;
const LEVELS = 4;
const MOST_FALLS = 3;
const LEAST_FALL = 5;
/** The space below the lowest close for the text of a fall, as a share of the range of the closes. */
const TEXT_SPACE = 0.15;

/** 'SELL in 5 of 7 weeks, HOLD in 2'. */
function verdictsText(weeks: readonly { verdict: Verdict | null }[]): string {
  const counts = [...VERDICTS.map(({ verdict }) => verdict), null].map((verdict) => ({
    word: verdict ?? 'withheld',
    count: weeks.filter((week) => week.verdict === verdict).length,
  }));
  const of = ` of ${countText(weeks.length, 'week')}`;
  return counts
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ word, count }, at) => unbroken(`${word} in ${count}${at === 0 ? of : ''}`))
    .join(', ');
}

/** Groups weeks (ascending) that follow each other without a gap. */
function runsOf<Week extends { at: number }>(weeks: readonly Week[]): Week[][] {
  const runs: Week[][] = [];
  for (const week of weeks) {
    const run = runs.at(-1);
    if (run?.at(-1)?.at === week.at - 1) run.push(week);
    else runs.push([week]);
  }
  return runs;
}

type Placed = ChartWeek & { at: number };
type Closed = Placed & { close: number };

const isClosed = (week: Placed): week is Closed => week.close !== null;

const DATED_WEEKS = 8;

/** The first close of each year, or of each month of a record with fewer than two of these. */
function ticksOf(weeks: readonly Placed[]) {
  if (weeks.length <= DATED_WEEKS) {
    const dates = weeks.map(({ at, entrySession }) => ({ at, text: writeDateAndMonth(entrySession) }));
    return { ticks: dates, areYears: false };
  }
  const startsOf = (textOf: (week: ChartWeek) => string) =>
    weeks
      .filter((week, at) => at > 0 && textOf(week) !== textOf(weeks[at - 1] ?? week))
      .map((week) => ({ at: week.at, text: textOf(week) }));
  const years = startsOf(({ entrySession }) => entrySession.slice(0, 4));
  const areYears = years.length > 1;
  return {
    ticks: areYears ? years : startsOf(({ entrySession }) => writeMonth(parseDay(entrySession))),
    areYears,
  };
}

function gapsText(weeks: readonly Placed[], lines: number): string | null {
  const isWhole = weeks.every(({ at, verdict }, index) => at === index && verdict !== null);
  const strips = isWhole ? [] : ['Weeks without a signal have no mark in the strips.'];
  const line = lines > 1 ? ['The line breaks where a close is missing.'] : [];
  return [...strips, ...line].join(' ') || null;
}

function fallsOf(weeks: readonly Placed[]) {
  const closed = weeks.filter(isClosed);
  const closes = closed.map(({ close }) => close);
  return worstFalls(closes, MOST_FALLS, LEAST_FALL).flatMap(({ from, to, changePercent }) => {
    const [high, low] = [closed[from], closed[to]];
    if (high === undefined || low === undefined) return [];
    const percentText = figureOf('changePercent', changePercent, { signed: true, suffix: '%' }).text;
    const within = weeks.filter(({ at }) => at >= high.at && at < low.at);
    const text = `from ${writeDate(high.entrySession)} to ${writeDate(low.entrySession)}: ${verdictsText(within)}`;
    return [{ at: low.at, value: low.close, percentText, text }];
  });
}

/** The S&P 500 and the verdicts over ascending weeks, which are the positions; null with fewer than two closes. */
export function recordChartView(weeks: readonly ChartWeek[]) {
  const firstDay = parseDay(weeks[0]?.week ?? '1970-01-05');
  const placed = weeks.map((week) => ({ ...week, at: (parseDay(week.week) - firstDay) / DAYS_A_WEEK }));
  const closed = placed.filter(isClosed);
  const [first] = closed;
  const [last, newest] = [closed.at(-1), placed.at(-1)];
  if (first === undefined || last === undefined || first === last || newest === undefined) return null;
  const closes = closed.map(({ close }) => close);
  const [lowest, highest] = [Math.min(...closes), Math.max(...closes)];
  const { low, high, ticks, decimals } = valueAxis(
    [Math.max(0, lowest - TEXT_SPACE * (highest - lowest)), highest],
    LEVELS,
  );
  const falls = fallsOf(placed);
  const priceOf = ({ close, entrySession }: Closed) =>
    `${figureOf('price', close).text} on ${writeDate(entrySession)}`;
  const [worst] = falls;
  // A week without a close interrupts the line.
  const lines = runsOf(closed.map(({ at, close }) => ({ at, value: close })));
  return {
    firstWeek: isoWeekOf(weeks[0]?.week ?? ''),
    span: { from: 0, to: newest.at + 1 },
    scale: { low, high },
    levels: ticks.map((value) => ({ value, text: writeNumber(value, decimals) })),
    lines,
    gapsText: gapsText(placed, lines.length),
    spells: VERDICTS.map(({ verdict }) => ({
      verdict,
      runs: runsOf(placed.filter((week) => week.verdict === verdict)).map((run) => ({
        at: run[0]?.at ?? 0,
        weeks: run.length,
      })),
    })),
    ...ticksOf(placed),
    falls,
    verdictsText: verdictsText(placed),
    summary: `The S&P 500 from ${priceOf(first)} to ${priceOf(last)}, and the signal of each week: ${verdictsText(placed)}.${worst === undefined ? '' : ` Largest fall: ${worst.percentText} ${worst.text}.`}`,
  };
}
export type RecordChartView = NonNullable<ReturnType<typeof recordChartView>>;
