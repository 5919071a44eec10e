import { sessionOpen } from '#domain/calendar/sessions.ts';
import { missingWeeks } from '#domain/record/weeks-of.ts';
import { toDay } from '#schema/parse.ts';
import { canonicalJson, type JsonValue } from './canonical-json.ts';

/** The ledger differs from the published one, or cannot be verified. The message is one plain sentence. */
export class LedgerError extends Error {
  override name = 'LedgerError';
}

export interface Entry {
  readonly index: number;
  readonly kind: string;
  readonly fields: Readonly<Record<string, JsonValue>>;
}

/** Parses an entry. Throws LedgerError if it is not in canonical form. */
export function parseEntry(text: string, index: number): Entry {
  let entry: JsonValue = null;
  let canonical: string | null = null;
  try {
    entry = JSON.parse(text);
    canonical = canonicalJson(entry);
  } catch {
    // The entry is not valid JSON, or has no canonical form. The check below refuses it.
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry) || canonical !== text) {
    throw new LedgerError(`Entry ${index} is not in canonical form.`);
  }
  const { kind, ...fields } = entry as Readonly<Record<string, JsonValue>>;
  if (typeof kind !== 'string') throw new LedgerError(`Entry ${index} has no kind.`);
  return { index, kind, fields };
}

/** Returns a name for the row of an entry, such as 'the decision of the week of 2026-11-16'. */
export function nameOfRow(kind: string, fields: Entry['fields']): string {
  if (kind === 'signal') return `the decision of the week of ${fields.week}`;
  if (kind === 'grade')
    return `grade ${fields.id} (${fields.horizon_weeks} ${fields.horizon_weeks === 1 ? 'week' : 'weeks'} after the week of ${fields.week})`;
  if (kind === 'publication') return `publication ${fields.id} (session ${fields.session})`;
  if (kind === 'event') return `quality event ${fields.id} (${fields.event_key})`;
  if (kind === 'risk') return `risk ${fields.part} ${fields.id} (session ${fields.session})`;
  return `verdict change ${fields.id} (session ${fields.session})`;
}

/** The field of an entry with the time at which its row was made public. */
const TIME_FIELDS: Readonly<Record<string, string>> = {
  signal: 'decided_at',
  grade: 'graded_at',
  publication: 'published_at',
  event: 'at',
  change: 'at',
  risk: 'at',
};

/** True if the row was computed later from stored data, when nobody could have seen it at its time. */
const isRebuilt = ({ fields }: Entry) => fields.origin === 'rebuilt';

const timeOf = ({ kind, fields }: Entry): string | null => {
  const time = fields[TIME_FIELDS[kind] ?? ''];
  return typeof time === 'string' ? time : null;
};

/** Rows dated more than this time (ms) in the future are not shown. A process with a wrong clock has left them. */
const FUTURE_MS = 3_600_000;

/** True if an entry is dated so far after `now` (epoch ms) that its row is not shown yet. */
export function isFuture(entry: Entry, now: number): boolean {
  return Date.parse(timeOf(entry) ?? '') > now + FUTURE_MS;
}

function dayFieldOf({ kind, fields }: Entry): string | null {
  if (kind === 'signal' || kind === 'grade') return 'week';
  return kind === 'risk' && fields.part === 'outlook' ? 'outcome_from' : null;
}

/**
 * Returns a sentence for each entry that is in a wrong place. Entries that were computed later may have earlier times and
 * weeks, and entries dated after `now` (epoch ms) do not count as earlier.
 */
export function misplacedEntries(entries: readonly Entry[], now: number): string[] {
  const faults: string[] = [];
  const decided = new Set<JsonValue>();
  const stated = new Set<JsonValue>();
  const newestTimes = new Map<string, string>();
  let newestWeek = '';
  for (const entry of entries) {
    const { index, kind, fields } = entry;
    const dayField = dayFieldOf(entry);
    if (dayField !== null && toDay(fields[dayField]) === null) {
      faults.push(`Entry ${index} has no valid day in "${dayField}".`);
      continue;
    }
    const week = String(fields.week);
    if (kind === 'signal') {
      if (decided.has(week)) faults.push(`Entry ${index} decides the week of ${week} a second time.`);
      else if (week < newestWeek && !isRebuilt(entry))
        faults.push(`Entry ${index} decides the week of ${week} after the week of ${newestWeek}.`);
      decided.add(week);
      if (week > newestWeek && !isFuture(entry, now)) newestWeek = week;
    } else if (kind === 'grade' && !decided.has(week)) {
      faults.push(`Entry ${index} grades the week of ${week}, which the ledger never decided.`);
    }
    if (kind === 'risk') {
      const opened = fields.part === 'outlook' ? sessionOpen(String(fields.outcome_from)) : Number.NaN;
      if (Date.parse(timeOf(entry) ?? '') >= opened && !isRebuilt(entry))
        faults.push(
          `Entry ${index} is an outlook that was recorded after the open of its first session, ${fields.outcome_from}.`,
        );
      if (fields.part === 'outlook') stated.add(fields.id ?? null);
      else if (!stated.has(fields.outlook ?? null))
        faults.push(`Entry ${index} is the outcome of an outlook without an earlier entry.`);
    }
    const time = timeOf(entry);
    const newest = newestTimes.get(kind) ?? '';
    if (time === null || isRebuilt(entry) || isFuture(entry, now)) continue;
    if (time < newest)
      faults.push(
        `Entry ${index}, ${nameOfRow(kind, fields)}, is dated ${time}, before an earlier entry of its kind (${newest}).`,
      );
    else newestTimes.set(kind, time);
  }
  return faults;
}

/** Returns the Mondays of the weeks without a decision, between the first and the last decided week. */
export function weeksWithoutDecision(entries: readonly Entry[]): string[] {
  return missingWeeks(
    entries.flatMap(({ kind, fields }) => (kind === 'signal' ? [String(fields.week)] : [])),
  );
}

export const countRebuilt = (entries: readonly Entry[]): number => entries.filter(isRebuilt).length;
