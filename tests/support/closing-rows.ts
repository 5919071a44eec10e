import { PUBLISHED_TABLES, type RowSet } from '#collector/publish/row-sets.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { MIDDLING } from './market-tables.ts';

/** The columns of a table that give each input of the signal the same score. */
const columnsAt = (score: number): Readonly<Record<string, Readonly<Record<string, number>>>> => ({
  market_metrics: { market_exposure: score, overall_strength: score },
  fear_greed_index: { index_value: score },
  sector_strength: { strength: score },
  advanced_indicators: {
    vix: (100 - score) / 2,
    put_call_ratio: 1.5 - score / 100,
    mcclellan_oscillator: score - 50,
  },
  market_sentiment: { score },
  market_breadth: { advancing_stocks: score, declining_stocks: 100 - score },
});

/** The row set of a session's close whose signal has this score. `isMixed`: Fear & Greed has parts of an earlier session. */
export function closingRows(
  session: string,
  { score, source = 'live', isMixed = false }: { score: number; source?: MarketSource; isMixed?: boolean },
): RowSet {
  const changed = columnsAt(score);
  const rows = new Map(
    PUBLISHED_TABLES.map(({ name, columns }) => [
      name,
      MIDDLING[name].map((row) => {
        const values: Record<string, unknown> = {
          ...row,
          ...changed[name],
          earlier_components: isMixed ? 'junk_bond_demand' : null,
        };
        return [...columns.map((column) => (values[column] ?? null) as string | number | null), source];
      }),
    ]),
  );
  return { session, createdAt: sessionClose(session), rows };
}
