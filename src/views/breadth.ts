import { breadthRatio, breadthStatus } from '#domain/bands/breadth.ts';
import type { MarketBreadthRow } from '#schema/market-breadth.ts';
import { panelAsOf } from './day.ts';
import type { BreadthView, LabelledFigure } from './model.ts';
import { countOf, figureOf, UNKNOWN } from './number.ts';

const WORDS = { positive: 'More advancing', neutral: 'Even', negative: 'More declining' } as const;
const NONE_COUNTED = 'No stocks counted';

/** The advance/decline ratio with its word. */
function ratioOf({ advancing_stocks, declining_stocks, unchanged_stocks }: MarketBreadthRow): LabelledFigure {
  if (advancing_stocks === null || declining_stocks === null) {
    return { value: null, text: UNKNOWN, label: null, tone: null };
  }
  const figure = figureOf('ratio', breadthRatio(advancing_stocks, declining_stocks));
  if (advancing_stocks + declining_stocks === 0) {
    // 0.00 by its formula, though nothing declined.
    return { ...figure, tone: 'neutral', label: unchanged_stocks === 0 ? NONE_COUNTED : WORDS.neutral };
  }
  const tone = breadthStatus(figure.value ?? 0);
  return { ...figure, tone, label: WORDS[tone] };
}

/** The market-breadth panel; null without a row. Shares need all three counts. */
export function breadthView(row: MarketBreadthRow | null, newest: string | null): BreadthView | null {
  if (row === null) return null;
  const { advancing_stocks, unchanged_stocks, declining_stocks } = row;
  const known = advancing_stocks !== null && unchanged_stocks !== null && declining_stocks !== null;
  // The specification takes a total of at least 1.
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
