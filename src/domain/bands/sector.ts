import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

/** The highest possible strength of a sector. */
export const SECTOR_TOTAL = 100;

/** Strong at 70 or more, weak below 50, neutral otherwise. */
export const SECTOR_BANDS = [
  { from: 70, status: 'strong', label: 'Strong', tone: 'positive' },
  { from: 50, status: 'neutral', label: 'Neutral', tone: 'neutral' },
  { from: Number.NEGATIVE_INFINITY, status: 'weak', label: 'Weak', tone: 'negative' },
] as const;
export type SectorBand = (typeof SECTOR_BANDS)[number];

/** The band of a sector's percentage, value / total · 100. */
export function sectorBand(percent: number): SectorBand {
  return bandFrom(SECTOR_BANDS, asDisplayed('score', percent));
}
