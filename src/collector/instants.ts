import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';

/** True if a row set of this instant (epoch ms) is its session's closing one. */
export function isClosing(instant: number): boolean {
  return instant === sessionClose(marketDay(instant));
}

/** An instant (epoch ms) as a parameter of type timestamptz. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Days or words as an array parameter. */
export function toArray(values: Iterable<string>): string {
  return `{${[...values].join(',')}}`;
}

/** Instants (epoch ms) as a parameter of type timestamptz[]. */
export function toInstants(instants: Iterable<number>): string {
  return toArray(Array.from(instants, toIso));
}

/** SQL for a column of type timestamptz in epoch ms. */
export function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::double precision`;
}
