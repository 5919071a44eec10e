import type { Database } from '#database/port.ts';
import { epochMs } from './instants.ts';
import { SourceError } from './problems.ts';

/** Tolerance for rows later than the database's clock (ms), as in the migrations. */
const TOLERANCE = 3_600_000;

/** SQL condition of a row too late for the database's clock: it is not shown. */
export const IS_FUTURE = "created_at > now() + interval '1 hour'";

/** SQL condition of a row that is not later than both the database's clock and a parameter, such as `$1`. */
export const isPast = (parameter: string): string =>
  `created_at <= greatest(${parameter}::timestamptz, now())`;

/** A duration (ms) in words: '90 minutes', '3 hours', '365 days'. */
function lengthOf(time: number): string {
  const minutes = Math.round(time / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** The message if this computer's clock is too far ahead of the database's; null otherwise. In epoch ms. */
export function clockFault(here: number, there: number): string | null {
  if (here - there <= TOLERANCE) return null;
  const [ours, theirs] = [here, there].map((at) => new Date(at).toISOString());
  return `This computer's clock (${ours}) is ${lengthOf(here - there)} ahead of the database's (${theirs}): correct the wrong one. Until then nothing is collected.`;
}

/** Throws SourceError if the clock of this computer (`now`, epoch ms) is more than an hour ahead of the database's. */
export async function checkDatabaseClock(database: Database, now: number): Promise<void> {
  const [row] = await database.transaction(
    (transaction) => transaction.query<{ at: number }>(`select ${epochMs('clock_timestamp()')} as at`),
    { readOnly: true },
  );
  const fault = clockFault(now, row?.at ?? now);
  if (fault !== null) throw new SourceError(fault);
}
