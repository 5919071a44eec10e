import { type Database, epochMs, readOnce } from '#database/port.ts';
import { SourceError } from './problems.ts';

/** Converts an instant (epoch ms) to a parameter of type timestamptz. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

export const toInstants = (instants: Iterable<number>): string[] => Array.from(instants, toIso);

/** Time (ms) by which a row may be later than the database's clock. The migrations use the same value. */
const TOLERANCE = 3_600_000;

/** SQL condition for rows that are too far ahead of the database's clock. Such rows are not shown. */
export const IS_FUTURE = "created_at > now() + interval '1 hour'";

/** SQL condition for rows that are not later than both the database's clock and a parameter, such as `$1`. */
export const isPast = (parameter: string): string =>
  `created_at <= greatest(${parameter}::timestamptz, now())`;

/** A duration (ms) in words: '90 minutes', '3 hours', '365 days'. */
function lengthOf(time: number): string {
  const minutes = Math.round(time / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** The error message if this computer's clock (`here`) is too far ahead of the database's (`there`), both epoch ms. */
export function clockFault(here: number, there: number): string | null {
  if (here - there <= TOLERANCE) return null;
  const [ours, theirs] = [here, there].map(toIso);
  return `This computer's clock (${ours}) is ${lengthOf(here - there)} ahead of the database's (${theirs}). Correct the wrong clock. Until then runs fail.`;
}

/** Throws SourceError if the clock of this computer (`now`, epoch ms) is more than an hour ahead of the database's. */
export async function checkClockNotAhead(database: Database, now: number): Promise<void> {
  const sql = `select ${epochMs('clock_timestamp()')} as at`;
  const [row] = await readOnce<{ at: number }>(database, sql);
  const fault = clockFault(now, row?.at ?? now);
  if (fault !== null) throw new SourceError(fault);
}
