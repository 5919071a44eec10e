import { createHash } from 'node:crypto';
import { type Database, DURABLE, queryOnce, READ_ONLY } from '#database/port.ts';
import { plainAddress } from '../safe-text.ts';

/** One line of an import file. All times are epoch ms. */
export type ImportLine =
  | { readonly kind: 'malformed'; readonly line: number; readonly reason: string }
  | {
      readonly kind: 'active';
      readonly line: number;
      readonly email: string;
      readonly consentedAt: number;
      /** True to also get a mail when the verdict changes. */
      readonly alerts: boolean;
    }
  /** A subscription that has ended in the other system. `endedAt` is null if the file does not state the time. */
  | {
      readonly kind: 'inactive';
      readonly line: number;
      readonly email: string;
      readonly endedAt: number | null;
    };

type ActiveLine = Extract<ImportLine, { kind: 'active' }>;

interface Fault {
  count: number;
  /** Numbers of the first of these lines. */
  readonly lines: number[];
}

/**
 * Result of an import. Each line counts once besides `lines`. The subscription of its address is active or has ended here,
 * is inactive in the file, or is repeated in it.
 */
export interface ImportReport
  extends Record<'lines' | 'added' | 'active' | 'repeated' | 'ended' | 'inactive' | 'malformed', number> {
  readonly faults: Map<string, Fault>;
}

export interface ImportOptions {
  /** False for a dry run, which only reads the database. */
  readonly apply: boolean;
  readonly report?: (progress: { done: number; total: number }) => void;
  /** Stops the import between two batches when it aborts. */
  readonly signal?: AbortSignal;
}

/** Number of lines per transaction. Other requests can use the database between two transactions. */
const BATCH = 1_000;
/** Maximum number of line numbers that a report has for each reason. */
const LINES_KEPT = 20;
const DIGEST_BYTES = 6;

/** Returns a number for an address. Numbers need less memory than the addresses of a long file. */
const digestOf = (email: string): number =>
  createHash('sha256').update(plainAddress(email)).digest().readUIntBE(0, DIGEST_BYTES);

/** Counts the lines, and finds by digest when each address last left; infinite if the file does not state it. */
async function readEnds(lines: AsyncIterable<readonly ImportLine[]>) {
  const ends = new Map<number, number>();
  let count = 0;
  for await (const some of lines) {
    count += some.length;
    for (const line of some) {
      if (line.kind !== 'inactive') continue;
      const digest = digestOf(line.email);
      const endedAt = line.endedAt ?? Number.POSITIVE_INFINITY;
      ends.set(digest, Math.max(endedAt, ends.get(digest) ?? endedAt));
    }
  }
  return { ends, count };
}

/** A line with its address in the database. 'invalid' means that the text is not an address. */
interface StoredLine {
  readonly line: number;
  readonly address: string;
  readonly state: 'added' | 'active' | 'ended' | 'invalid';
}

/** SQL that classifies lines in their order. The query `added` returns the addresses of `fresh` that it adds. */
const classified = (added: string) => `with given as materialized (
    select line, mailer.plain_address(email) as address, to_timestamp("consentedAt" / 1000) as consented_at, alerts
    from json_to_recordset($1::json) as given(line integer, email text, "consentedAt" double precision, alerts boolean)
  ), known as materialized (
    select given.*, (
      select bool_or(is_active) from public.email_subscribers as subscriber where subscriber.email = given.address
    ) as is_active, row_number() over (partition by address order by line) = 1 as is_first
    from given
  ), fresh as (
    select * from known where address is not null and is_active is null and is_first
  ), added as (${added})
  select line, address, case
      when address is null then 'invalid'
      when is_active is null then case when is_first and added.email is not null then 'added' else 'active' end
      when is_active then 'active' else 'ended' end as state
  from known left join added on added.email = address order by line`;

/** A dry run adds nothing. The state of a line is 'added' if an import would add it. */
const DRY_RUN = classified('select address as email from fresh');
const IMPORT = classified(`
    insert into public.email_subscribers (email, created_at, confirmed_at, alerts)
    select address, consented_at, consented_at, alerts from fresh order by line
    on conflict (lower(btrim(email))) where is_active do nothing
    returning email`);

/**
 * Imports lines; `read` reads the file at each call. Adds a confirmed subscription with its date of consent for a new
 * address that has not left since, here or in the file. Never changes a stored one. May be interrupted and repeated.
 * Needs about 50 bytes per line.
 */
export async function importSubscribers(
  database: Database,
  read: () => AsyncIterable<readonly ImportLine[]>,
  { apply, report = () => undefined, signal }: ImportOptions,
): Promise<ImportReport> {
  const { ends, count: total } = await readEnds(read());
  const faults = new Map<string, Fault>();
  const counts: ImportReport = {
    ...{ lines: 0, added: 0, active: 0, repeated: 0, ended: 0, inactive: 0, malformed: 0 },
    faults,
  };
  const seen = new Set<number>();
  const waiting: ActiveLine[] = [];

  const hasEnded = ({ email, consentedAt }: ActiveLine): boolean =>
    ends.size > 0 && (ends.get(digestOf(email)) ?? 0) >= consentedAt;

  function countFault(line: number, reason: string): void {
    counts.malformed += 1;
    const fault = faults.get(reason) ?? { count: 0, lines: [] };
    fault.count += 1;
    if (fault.lines.length < LINES_KEPT) fault.lines.push(line);
    faults.set(reason, fault);
  }

  function countState({ line, address, state }: StoredLine): void {
    if (state === 'invalid') {
      countFault(line, 'not an address that can receive mail');
      return;
    }
    const digest = digestOf(address);
    if (state !== 'ended' && seen.has(digest)) counts.repeated += 1;
    else counts[state] += 1;
    seen.add(digest);
  }

  async function importWaiting(): Promise<void> {
    signal?.throwIfAborted();
    const batch = JSON.stringify(waiting.splice(0));
    const [sql, options] = apply ? [IMPORT, DURABLE] : [DRY_RUN, READ_ONLY];
    const stored = await queryOnce<StoredLine>(database, sql, [batch], options);
    stored.forEach(countState);
    report({ done: counts.lines, total });
  }

  for await (const lines of read()) {
    for (const line of lines) {
      counts.lines += 1;
      if (line.kind === 'malformed') countFault(line.line, line.reason);
      else if (line.kind === 'inactive' || hasEnded(line)) counts.inactive += 1;
      else waiting.push(line);
      if (waiting.length >= BATCH) await importWaiting();
    }
  }
  if (waiting.length > 0) await importWaiting();
  return counts;
}
