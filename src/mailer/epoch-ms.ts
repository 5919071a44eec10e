/** Returns an SQL expression that converts a timestamptz to epoch milliseconds. */
export function epochMs(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000)::double precision`;
}
