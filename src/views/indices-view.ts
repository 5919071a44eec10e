import type { MarketIndexRow } from '#schema/columns.ts';
import { panelAsOf } from './day.ts';
import { figureOf, toneOfChange } from './number.ts';

/** Display order, by the beginning of the name. Other indices follow by name. */
const ORDER = ['S&P', 'Nasdaq', 'Dow'] as const;

function rankOf(name: string): number {
  const rank = ORDER.findIndex((start) => name.startsWith(start));
  return rank === -1 ? ORDER.length : rank;
}

export function indicesView(rows: readonly MarketIndexRow[], newest: string | null) {
  const [first] = rows;
  if (first === undefined) return null;
  const ordered = rows.toSorted((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1));
  return {
    asOf: panelAsOf(first.created_at, newest),
    items: ordered.map((row) => {
      const change = figureOf('price', row.change, { signed: true });
      const changePercent = figureOf('changePercent', row.change_percent, { signed: true, suffix: '%' });
      const moved = changePercent.value ?? change.value;
      return {
        symbol: row.symbol,
        name: row.name,
        price: figureOf('price', row.price),
        change,
        changePercent,
        tone: moved === null ? null : toneOfChange(moved),
      };
    }),
  };
}
export type IndicesView = NonNullable<ReturnType<typeof indicesView>>;
