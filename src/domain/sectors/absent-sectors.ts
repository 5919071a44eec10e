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

/** The missing ones of the eleven sectors; a null for each if `present` has nonstandard names. */
export function absentSectors(present: readonly string[]): (string | null)[] {
  const names = GICS_SECTORS.filter((name) => !present.includes(name));
  const count = Math.max(0, GICS_SECTORS.length - present.length);
  return names.length === count ? names : Array<null>(count).fill(null);
}
