import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';

/** True if the row set of this instant (epoch ms) is the closing row set of its session. */
export function isClosing(instant: number): boolean {
  return instant === sessionClose(marketDay(instant));
}

/** Converts an instant (epoch ms) to a parameter of type timestamptz. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Converts days or words to an array parameter of a query. */
export function toArray(values: Iterable<string>): string {
  return `{${[...values].join(',')}}`;
}

/** Converts instants (epoch ms) to a parameter of type timestamptz[]. */
export function toInstants(instants: Iterable<number>): string {
  return toArray(Array.from(instants, toIso));
}

/** SQL for a column of type timestamptz in epoch ms. */
export function epochMs(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::double precision`;
}
