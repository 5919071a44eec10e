import { FEAR_GREED_BANDS } from '#domain/bands/fear-greed.ts';
import { dateOf, dayOf, formatDay, parseDay } from '#domain/calendar/days.ts';
import {
  isSession,
  marketDay,
  sessionClose,
  sessionOpen,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import type { FearGreedPoint } from '#schema/dashboard.ts';
import { writeClock, writeDay, writeMonth } from './day.ts';
import { fearGreedReading } from './fear-greed-reading.ts';
import type { TimelinePoint, TimelineView } from './model.ts';

const EMPTY = 'No historical data available. Historical data will appear here once fetched.';

/** The dashed lines stand where the zones meet. */
const REFERENCES: readonly number[] = FEAR_GREED_BANDS.map(({ from }) => from)
  .filter((from) => from > 0)
  .reverse();

/** The first midnight in New York of every month between two instants. */
function monthTicks(from: number, to: number): { at: number; text: string }[] {
  const ticks: { at: number; text: string }[] = [];
  let { year, month } = dateOf(parseDay(marketDay(from)));
  for (;;) {
    const day = dayOf(year, month, 1);
    const at = startOfMarketDay(formatDay(day));
    if (at > to) return ticks;
    if (at >= from) ticks.push({ at, text: writeMonth(day) });
    year += month === 12 ? 1 : 0;
    month = (month % 12) + 1;
  }
}

function summaryOf(points: readonly TimelinePoint[]): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return EMPTY;
  const low = points.reduce((lowest, point) => (point.value < lowest.value ? point : lowest));
  const high = points.reduce((highest, point) => (point.value > highest.value ? point : highest));
  const told = (point: TimelinePoint) => `${point.text} (${point.label}) on ${point.dateText}`;
  return `Fear & Greed from ${first.dateText} to ${last.dateText}: lowest ${told(low)}, highest ${told(high)}, last ${last.text} (${last.label}).`;
}

function pointsOf(rows: readonly FearGreedPoint[]): TimelinePoint[] {
  let session = '';
  let dateText = '';
  return rows
    .map((row) => ({ at: Date.parse(row.created_at), reading: fearGreedReading(row.index_value) }))
    .sort((a, b) => a.at - b.at)
    .map(({ at, reading }) => {
      const day = marketDay(at);
      // Intraday rows share their day; a year of hours would write each date 24 times.
      if (day !== session) dateText = writeDay(day);
      session = day;
      return { at, session, dateText, ...reading };
    })
    .map((point, index, points) => {
      const { at, session } = point;
      const alone = points[index - 1]?.session !== session && points[index + 1]?.session !== session;
      // A reading within its session must not pass for the day's.
      const within = isSession(session) && at > sessionOpen(session) && at < sessionClose(session);
      return alone && !within
        ? point
        : { ...point, dateText: `${point.dateText}, ${writeClock(at, session)}` };
    });
}

/** The Fear & Greed timeline; apart from the dashboard so that it is built only when its tab is opened. */
export function timelineView(rows: readonly FearGreedPoint[]): TimelineView {
  const points = pointsOf(rows);
  const from = points[0]?.at ?? 0;
  const to = points.at(-1)?.at ?? 0;
  return {
    points,
    from,
    to,
    ticks: points.length > 0 ? monthTicks(from, to) : [],
    references: REFERENCES,
    emptyText: EMPTY,
    summary: summaryOf(points),
  };
}
