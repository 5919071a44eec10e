import { marketDay, sessionClose } from '#domain/calendar/sessions.ts';

/** Whether a row set of this instant (epoch ms) is its session's closing one. */
export function isClosing(instant: number): boolean {
  return instant === sessionClose(marketDay(instant));
}

/** An instant (epoch ms) as a statement takes it. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Instants as a parameter of type timestamptz[]. */
export function toInstants(instants: Iterable<number>): string {
  return `{${[...instants].map(toIso).join(',')}}`;
}
