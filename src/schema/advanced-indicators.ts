import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toName, toNonNegative, toNumber, toPercentage, toWord } from './parse.ts';

/** Market internals. The `*_universe` fields name the stocks over which an internal is counted. */
export interface AdvancedIndicatorsRow {
  vix: number | null;
  vix_change: number | null;
  put_call_ratio: number | null;
  high_low_index: number | null;
  high_low_universe: string | null;
  advance_decline_ratio: number | null;
  mcclellan_oscillator: number | null;
  mcclellan_universe: string | null;
  tick_index: number | null;
  tick_universe: string | null;
  trin: number | null;
  trin_universe: string | null;
  source: MarketSource | null;
  created_at: string;
}

export const ADVANCED_INDICATORS_COLUMNS =
  'vix,vix_change,put_call_ratio,high_low_index,high_low_universe,advance_decline_ratio,mcclellan_oscillator,mcclellan_universe,tick_index,tick_universe,trin,trin_universe,source,created_at';

/** The row in an untrusted value; null if `created_at` is invalid. */
export function parseAdvancedIndicators(value: unknown): AdvancedIndicatorsRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const created_at = toInstant(fields.created_at);
  if (created_at === null) return null;
  return {
    vix: toNonNegative(fields.vix),
    vix_change: toNumber(fields.vix_change),
    put_call_ratio: toNonNegative(fields.put_call_ratio),
    high_low_index: toPercentage(fields.high_low_index),
    high_low_universe: toName(fields.high_low_universe),
    advance_decline_ratio: toNonNegative(fields.advance_decline_ratio),
    mcclellan_oscillator: toNumber(fields.mcclellan_oscillator),
    mcclellan_universe: toName(fields.mcclellan_universe),
    tick_index: toNumber(fields.tick_index),
    tick_universe: toName(fields.tick_universe),
    trin: toNonNegative(fields.trin),
    trin_universe: toName(fields.trin_universe),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
