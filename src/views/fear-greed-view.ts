import { asDisplayed } from '#domain/bands/precision.ts';
import { fearGreedBand } from '#domain/bands/score-bands.ts';
import {
  componentsIn,
  FEAR_GREED_COMPONENTS,
  type FearGreedComponent,
} from '#domain/fear-greed/components.ts';
import type { FearGreedReadings } from '#schema/dashboard.ts';
import { asOf, panelAsOf, writeDate } from './day.ts';
import { figureOf, toneOfChange, UNKNOWN } from './number.ts';

export const COMPONENT_NAMES: Record<FearGreedComponent, string> = {
  market_momentum: 'Market momentum',
  stock_price_strength: 'Price strength',
  stock_price_breadth: 'Price breadth',
  put_call_options: 'Put and call options',
  junk_bond_demand: 'Junk bond demand',
  market_volatility: 'Volatility',
  safe_haven_demand: 'Safe haven demand',
};

const EARLIER = [
  { key: 'previousClose', name: 'Previous close' },
  { key: 'oneWeekAgo', name: '1 week ago' },
  { key: 'oneMonthAgo', name: '1 month ago' },
  { key: 'oneYearAgo', name: '1 year ago' },
] as const;

const DIRECTIONS = { positive: 'Rising', neutral: 'Unchanged', negative: 'Falling' } as const;

function directionOf(score: number | null, before: number | null) {
  if (score === null || before === null) return null;
  const moved = fearGreedReading(score).value - fearGreedReading(before).value;
  const change = figureOf('score', moved, { signed: true });
  const tone = toneOfChange(change.value ?? 0);
  return { change, word: DIRECTIONS[tone], tone };
}

/** The Overview of the panel; null without a current row. A component with a value of an earlier session has no change. */
export function fearGreedView(readings: FearGreedReadings, newest: string | null) {
  const row = readings.current;
  if (row === null) return null;
  const olderKeys = componentsIn(row.earlier_components);
  const current = fearGreedReading(row.index_value);
  const panel = panelAsOf(row.created_at, newest);
  const yearAgo = readings.oneYearAgo && fearGreedReading(readings.oneYearAgo.index_value);
  const older = panel.older === null ? '' : ` ${panel.older}.`;
  const then = yearAgo === null ? '' : ` A year ago it stood at ${yearAgo.text}, ${yearAgo.label}.`;
  return {
    asOf: panel,
    mixed: olderKeys.length > 0,
    current,
    yearAgo,
    earlier: EARLIER.flatMap(({ key, name }) => {
      const point = readings[key];
      // In data that are old, the current reading may also be the one of a week ago.
      if (point === null || point.created_at >= row.created_at) return [];
      const { session } = asOf(point.created_at);
      return [{ key, name, session, dateText: writeDate(session), ...fearGreedReading(point.index_value) }];
    }),
    components: FEAR_GREED_COMPONENTS.map((key) => {
      const score = row[key];
      const reading =
        score === null ? { value: null, text: UNKNOWN, label: null, zone: null } : fearGreedReading(score);
      const isOlder = olderKeys.includes(key);
      const direction = isOlder ? null : directionOf(score, readings.previousClose?.[key] ?? null);
      return { key, name: COMPONENT_NAMES[key], ...reading, direction, ...(isOlder && { older: true }) };
    }),
    summary: `Fear & Greed stands at ${current.text} of 100, ${current.label}.${older}${then}`,
  };
}
export type FearGreedView = NonNullable<ReturnType<typeof fearGreedView>>;

/** A value of 0–100 as shown, with the word and zone of the shown number. */
export function fearGreedReading(index: number) {
  const { label, zone } = fearGreedBand(index);
  return { value: asDisplayed('score', index), text: figureOf('score', index).text, label, zone };
}
