import { VERDICTS, type Verdict } from '#domain/bands/score-bands.ts';
import { parseDay } from '#domain/calendar/days.ts';
import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { worstFalls } from '#domain/record/worst-falls.ts';
import { valueAxis } from './closes-view.ts';
import { writeDateAndMonth } from './day.ts';
import { figureOf, writeNumber } from './number.ts';

/** A week of the record, with the close from which its changes are measured. */
export interface ChartWeek {
  /** Its Monday, `YYYY-MM-DD`. */
  readonly week: string;
  /** Null if the week was withheld. */
  readonly verdict: Verdict | null;
  /** The first session after the decision, and its S&P 500 close; null if the close is not known. */
  readonly entrySession: string;
  readonly close: number | null;
}

/** The S&P 500 and the verdicts over time. Positions are weeks since the first one. */
export interface RecordChartView {
  /** The name of the first week, such as '2022-W01'. */
  readonly firstWeek: string;
  /** The number of weeks from the first to the last one, both included; at least 2. */
  readonly span: { readonly from: 0; readonly to: number };
  readonly scale: { readonly low: number; readonly high: number };
  readonly levels: readonly { value: number; text: string }[];
  /** The closes as uninterrupted lines. A week without a close interrupts the line. */
  readonly lines: readonly (readonly { at: number; value: number }[])[];
  /** For each verdict, from BUY to SELL, the series of consecutive weeks with it. */
  readonly spells: readonly { verdict: Verdict; runs: readonly { at: number; weeks: number }[] }[];
  /** The first week of each year. */
  readonly years: readonly { at: number; text: string }[];
  /** The largest falls between weekly closes, the largest first. */
  readonly falls: readonly { at: number; value: number; percentText: string; text: string }[];
  /** 'SELL in 80 of 260 weeks, HOLD in 90, BUY in 90'. */
  readonly verdictsText: string;
  readonly summary: string;
}

const DAYS_A_WEEK = 7;
const LEVELS = 4;
const MOST_FALLS = 3;
/** Falls of fewer percent are not named. */
const LEAST_FALL = 5;
/** The space below the lowest close for the text of a fall, as a share of the range of the closes. */
const TEXT_SPACE = 0.15;

/** '7 Apr 2025'. */
const dateOf = (session: string) => `${writeDateAndMonth(session)} ${session.slice(0, 4)}`;

/** 'SELL in 5 of 7 weeks, HOLD in 2'. */
function verdictsText(weeks: readonly { verdict: Verdict | null }[]): string {
  const counts = [...VERDICTS.map(({ verdict }) => verdict), null].map((verdict) => ({
    word: verdict ?? 'withheld',
    count: weeks.filter((week) => week.verdict === verdict).length,
  }));
  const of = ` of ${weeks.length} ${weeks.length === 1 ? 'week' : 'weeks'}`;
  return counts
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ word, count }, at) => `${word} in ${count}${at === 0 ? of : ''}`)
    .join(', ');
}

/** Joins neighbouring positions (ascending) of one verdict. */
function runsOf(places: readonly number[]): { at: number; weeks: number }[] {
  const runs: { at: number; weeks: number }[] = [];
  for (const at of places) {
    const last = runs.at(-1);
    if (last !== undefined && last.at + last.weeks === at) last.weeks += 1;
    else runs.push({ at, weeks: 1 });
  }
  return runs;
}

type Placed = ChartWeek & { at: number };
type Closed = Placed & { close: number };

const isClosed = (week: Placed): week is Closed => week.close !== null;

function linesOf(weeks: readonly Placed[]): { at: number; value: number }[][] {
  const lines: { at: number; value: number }[][] = [];
  let before: Placed | undefined;
  for (const week of weeks) {
    if (isClosed(week)) {
      const point = { at: week.at, value: week.close };
      const joins = before !== undefined && isClosed(before) && before.at + 1 === week.at;
      if (joins) lines.at(-1)?.push(point);
      else lines.push([point]);
    }
    before = week;
  }
  return lines;
}

function yearsOf(weeks: readonly Placed[]): RecordChartView['years'] {
  const yearOf = ({ week }: ChartWeek) => isoWeekOf(week).slice(0, 4);
  const [first] = weeks;
  const starts = weeks.filter((week, at) => at > 0 && yearOf(week) !== yearOf(weeks[at - 1] ?? week));
  const all = first === undefined || starts.length > 0 ? starts : [first];
  return all.map((week) => ({ at: week.at, text: yearOf(week) }));
}

function fallsOf(weeks: readonly Placed[]): RecordChartView['falls'] {
  const closed = weeks.filter(isClosed);
  const closes = closed.map(({ close }) => close);
  return worstFalls(closes, MOST_FALLS, LEAST_FALL).flatMap(({ from, to, changePercent }) => {
    const [high, low] = [closed[from], closed[to]];
    if (high === undefined || low === undefined) return [];
    const percentText = figureOf('changePercent', changePercent, { signed: true, suffix: '%' }).text;
    const within = weeks.filter(({ at }) => at >= high.at && at < low.at);
    const text = `from ${dateOf(high.entrySession)} to ${dateOf(low.entrySession)}: ${verdictsText(within)}`;
    return [{ at: low.at, value: low.close, percentText, text }];
  });
}

/** The chart of ascending weeks; null with fewer than two closes. */
export function recordChartView(weeks: readonly ChartWeek[]): RecordChartView | null {
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
    `${figureOf('price', close).text} on ${dateOf(entrySession)}`;
  const [worst] = falls;
  return {
    firstWeek: isoWeekOf(weeks[0]?.week ?? ''),
    span: { from: 0, to: newest.at + 1 },
    scale: { low, high },
    levels: ticks.map((value) => ({ value, text: writeNumber(value, decimals) })),
    lines: linesOf(placed),
    spells: VERDICTS.map(({ verdict }) => ({
      verdict,
      runs: runsOf(placed.filter((week) => week.verdict === verdict).map(({ at }) => at)),
    })),
    years: yearsOf(placed),
    falls,
    verdictsText: verdictsText(placed),
    summary: `The S&P 500 from ${priceOf(first)} to ${priceOf(last)}, and the signal of each week: ${verdictsText(placed)}.${worst === undefined ? '' : ` Largest fall: ${worst.percentText} ${worst.text}.`}`,
  };
}
