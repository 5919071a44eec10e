/** SQL expression for a timestamptz as epoch milliseconds. */
export function epochMs(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000)::double precision`;
}
