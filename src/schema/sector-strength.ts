import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toName, toPercentage, toWord } from './parse.ts';

/** Strength of one sector, out of 100. */
export interface SectorStrengthRow {
  sector: string;
  strength: number | null;
  source: MarketSource | null;
  created_at: string;
}

export const SECTOR_STRENGTH_COLUMNS = 'sector,strength,source,created_at';

/** The row in an untrusted value; null if `sector` or `created_at` is invalid. */
export function parseSectorStrength(value: unknown): SectorStrengthRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const sector = toName(fields.sector);
  const created_at = toInstant(fields.created_at);
  if (sector === null || created_at === null) return null;
  return {
    sector,
    strength: toPercentage(fields.strength),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
