import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toPercentage, toWord } from './parse.ts';

/** Participation and strength, each 0–100. */
export interface MarketMetricsRow {
  market_exposure: number | null;
  overall_strength: number | null;
  source: MarketSource | null;
  created_at: string;
}

export const MARKET_METRICS_COLUMNS = 'market_exposure,overall_strength,source,created_at';

/** The row in an untrusted value; null if `created_at` is invalid. */
export function parseMarketMetrics(value: unknown): MarketMetricsRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const created_at = toInstant(fields.created_at);
  if (created_at === null) return null;
  return {
    market_exposure: toPercentage(fields.market_exposure),
    overall_strength: toPercentage(fields.overall_strength),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
