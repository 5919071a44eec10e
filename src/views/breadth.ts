import { breadthRatio, breadthStatus } from '#domain/bands/breadth.ts';
import type { MarketBreadthRow } from '#schema/market-breadth.ts';
import { asOf } from './day.ts';
import type { BreadthView, LabelledFigure } from './model.ts';
import { countOf, figureOf } from './number.ts';

const WORDS = { positive: 'More advancing', neutral: 'Even', negative: 'More declining' } as const;

function ratioOf(advancing: number | null, declining: number | null): LabelledFigure {
  const known = advancing !== null && declining !== null && advancing + declining > 0;
  const figure = figureOf('ratio', known ? breadthRatio(advancing, declining) : null);
  const tone = figure.value === null ? null : breadthStatus(figure.value);
  return { ...figure, tone, label: tone === null ? null : WORDS[tone] };
}

/** The market-breadth panel; null without a row. Shares need all three counts. */
export function breadthView(row: MarketBreadthRow | null): BreadthView | null {
  if (row === null) return null;
  const { advancing_stocks, unchanged_stocks, declining_stocks } = row;
  const known = advancing_stocks !== null && unchanged_stocks !== null && declining_stocks !== null;
  const total = known ? advancing_stocks + unchanged_stocks + declining_stocks : 0;
  const part = (key: BreadthView['parts'][number]['key'], name: string, stocks: number | null) => {
    const share = figureOf('score', stocks === null || total === 0 ? null : (stocks / total) * 100, {
      suffix: '%',
    });
    return { key, name, count: countOf(stocks), share: share.value ?? 0, shareText: share.text };
  };
  return {
    asOf: asOf(row.created_at),
    universe: row.universe,
    ratio: ratioOf(advancing_stocks, declining_stocks),
    parts: [
      part('advancing', 'Advancing', advancing_stocks),
      part('unchanged', 'Unchanged', unchanged_stocks),
      part('declining', 'Declining', declining_stocks),
    ],
  };
}
