/** An instant (epoch ms) as a statement takes it. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Instants as a parameter of type timestamptz[]. */
export function toInstants(instants: Iterable<number>): string {
  return `{${[...instants].map(toIso).join(',')}}`;
}
