import { roundTo } from '#domain/bands/precision.ts';
import { weekStart } from '#domain/calendar/iso-week.ts';
import { isSessionClose } from '#domain/calendar/sessions.ts';
import type { IndexClose } from '#schema/columns.ts';
import { asOf, writeClock, writeDate, writeDateAndMonth, writeDay, writeDayWithoutYear } from './day.ts';
import { figureOf, toneOfChange, writeNumber } from './number.ts';
import { demoOf } from './sources-view.ts';

export type { IndexClose };

const EMPTY_TEXT = 'No closes of the S&P 500 are available. They will appear here once fetched.';

const CLOSE = 'close';

const LEVELS = 4;

/** The points with their full time as text: 'Fri 13 Nov 2026, 14:05 New York time'. Sessions have equal distances. */
function pointsOf(closes: readonly IndexClose[]) {
  const points = closes.flatMap(({ price, created_at }) => {
    const { value, text } = figureOf('price', price);
    if (value === null) return [];
    const { session, instant, text: observedText } = asOf(created_at);
    const note = isSessionClose(instant) ? CLOSE : `at ${writeClock(instant)}`;
    return [{ session, value, text, dateText: writeDay(session), note, observedText }];
  });
  return points.map((point, at) => ({ ...point, at }));
}

type ObservedPoint = ReturnType<typeof pointsOf>[number];

/** '+121.81 (+1.84%)', from one point to another; null without two. */
function changeOf(first: ObservedPoint, last: ObservedPoint) {
  if (first === last) return null;
  const change = figureOf('price', last.value - first.value, { signed: true });
  const percent = figureOf('changePercent', (100 * (last.value - first.value)) / first.value, {
    signed: true,
    suffix: '%',
  });
  return { text: `${change.text} (${percent.text})`, tone: toneOfChange(change.value ?? 0) };
}

function withChange(point: ObservedPoint, before: ObservedPoint | undefined) {
  const change = before && changeOf(before, point);
  const changeText = before && change ? `${change.text} since ${writeDayWithoutYear(before.session)}` : null;
  return { ...point, changeText };
}

const EMPTY = {
  title: 'S&P 500 closes',
  asOfText: null,
  points: [],
  running: false,
  ...{ from: 0, to: 0, low: 0, high: 1 },
  levels: [],
  ticks: [],
  change: null,
  demo: null,
  emptyText: EMPTY_TEXT,
  summary: EMPTY_TEXT,
};

/** The page's own chart of ascending S&P 500 closes. It is `running` if the last point is a quote within its session. */
export function closesView(closes: readonly IndexClose[]) {
  const points = pointsOf(closes);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return EMPTY;
  const { low, high, ticks, decimals } = valueAxis(
    points.map(({ value }) => value),
    LEVELS,
  );
  const lowest = points.reduce((least, point) => (point.value < least.value ? point : least));
  const highest = points.reduce((most, point) => (point.value > most.value ? point : most));
  const change = changeOf(first, last);
  const written = (point: ObservedPoint) => `${point.text} on ${point.dateText}`;
  return {
    title: `S&P 500 closes, ${writeDateAndMonth(first.session)} to ${writeDate(last.session)}`,
    asOfText: `Our own chart, as of ${last.observedText}`,
    points: points.map((point, index) => withChange(point, points[index - 1])),
    running: last.note !== CLOSE,
    ...{ from: first.at, to: last.at, low, high },
    levels: ticks.map((value) => ({ value, text: writeNumber(roundTo(value, decimals), decimals) })),
    ticks: points
      .filter(({ session }, index) => weekStart(session) !== weekStart(points[index - 1]?.session ?? ''))
      .map(({ at, session }) => ({ at, text: writeDateAndMonth(session) })),
    change,
    demo: demoOf(closes.map(({ source }) => source)),
    emptyText: EMPTY_TEXT,
    summary: `S&P 500 from ${first.dateText} to ${last.dateText}: lowest ${written(lowest)}, highest ${written(highest)}, last ${last.text} (${last.observedText})${change === null ? '' : `, ${change.text} over the range`}.`,
  };
}

export type ClosesView = ReturnType<typeof closesView>;

const STEPS = [1, 2, 2.5, 5, 10] as const;

/** An axis around the finite values from tick to tick, with about `count` round steps. The texts of the ticks differ with `decimals`. */
export function valueAxis(values: readonly number[], count: number) {
  const least = Math.min(...values);
  const greatest = Math.max(...values);
  // The axis of equal values spans one hundredth of the value.
  const room = greatest > least ? greatest - least : Math.abs(least) / 100 || 1;
  const power = 10 ** Math.floor(Math.log10(room / count));
  const factor = STEPS.find((step) => step * power >= room / count) ?? 10;
  const step = factor * power;
  const flat = greatest > least ? 0 : room / 2;
  const first = Math.floor((least - flat) / step);
  const last = Math.max(first + 1, Math.ceil((greatest + flat) / step));
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)) + (factor === 2.5 ? 1 : 0));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: last * step, step, ticks, decimals };
}
