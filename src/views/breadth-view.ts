import { breadthRatio, breadthStatus } from '#domain/bands/score-bands.ts';
import type { MarketBreadthRow } from '#schema/market-breadth.ts';
import { panelAsOf } from './day.ts';
import type { BreadthView, LabelledFigure } from './model.ts';
import { countOf, figureOf, UNKNOWN } from './number.ts';

const NONE_COUNTED = 'No stocks counted';
const NONE_MOVED = 'None rose or fell';

/**
 * The word for the larger of the two counts. A displayed ratio of 1.00 does not decide: it may be rounded, or stand for
 * 1 advancing and 0 declining stocks.
 */
function wordOf(advancing: number, declining: number): string {
  if (advancing === declining) return 'Even';
  return advancing > declining ? 'More advancing' : 'More declining';
}

/** The advance/decline ratio with its status. There is no ratio if one side has no stock. */
function ratioOf({ advancing_stocks, declining_stocks, unchanged_stocks }: MarketBreadthRow): LabelledFigure {
  const unknown = { value: null, text: UNKNOWN, tone: null };
  if (advancing_stocks === null || declining_stocks === null) return { ...unknown, label: null };
  if (advancing_stocks + declining_stocks === 0) {
    return { ...unknown, label: (unchanged_stocks ?? 0) > 0 ? NONE_MOVED : NONE_COUNTED };
  }
  const figure = figureOf('ratio', breadthRatio(advancing_stocks, declining_stocks));
  return {
    ...figure,
    tone: breadthStatus(figure.value ?? 0),
    label: wordOf(advancing_stocks, declining_stocks),
  };
}

/** The market-breadth panel; null without a row. The shares are known only if all three counts are. */
export function breadthView(row: MarketBreadthRow | null, newest: string | null): BreadthView | null {
  if (row === null) return null;
  const { advancing_stocks, unchanged_stocks, declining_stocks } = row;
  const known = advancing_stocks !== null && unchanged_stocks !== null && declining_stocks !== null;
  // The specification divides by a total of at least 1.
  const total = known ? Math.max(advancing_stocks + unchanged_stocks + declining_stocks, 1) : null;
  const part = (key: BreadthView['parts'][number]['key'], name: string, stocks: number | null) => {
    const percent = stocks === null || total === null ? null : (stocks / total) * 100;
    const share = figureOf('score', percent, { suffix: '%' });
    return { key, name, count: countOf(stocks), share: share.value ?? 0, shareText: share.text };
  };
  return {
    asOf: panelAsOf(row.created_at, newest),
    universe: row.universe,
    ratio: ratioOf(row),
    parts: [
      part('advancing', 'Advancing', advancing_stocks),
      part('unchanged', 'Unchanged', unchanged_stocks),
      part('declining', 'Declining', declining_stocks),
    ],
  };
}
