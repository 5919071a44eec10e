/** The eleven sectors of the Global Industry Classification Standard. */
export const GICS_SECTORS = [
  'Communication Services',
  'Consumer Discretionary',
  'Consumer Staples',
  'Energy',
  'Financials',
  'Health Care',
  'Industrials',
  'Information Technology',
  'Materials',
  'Real Estate',
  'Utilities',
] as const;

/**
 * One entry for each of the eleven expected sectors that is missing in `present`: its name, or null for all if
 * `present` has nonstandard names, which do not show which ones are missing.
 */
export function absentSectors(present: readonly string[]): (string | null)[] {
  const names = GICS_SECTORS.filter((name) => !present.includes(name));
  const count = Math.max(0, GICS_SECTORS.length - present.length);
  return names.length === count ? names : Array<null>(count).fill(null);
}
