/** SQL for a timestamptz in epoch ms. */
export function epochMs(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000)::double precision`;
}
