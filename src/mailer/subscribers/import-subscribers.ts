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

/** The result of a line in the database. 'invalid' means that the text is not an address. */
type LineState = 'added' | 'active' | 'ended' | 'invalid';

const CLASSIFIED = `
  given as materialized (
    select line, mailer.plain_address(email) as address, consented_at, alerts
    from json_to_recordset($1::json) as given(line integer, email text, consented_at timestamptz, alerts boolean)
  ), known as materialized (
    select line, address, consented_at, alerts, (
      select bool_or(is_active) from public.email_subscribers as subscriber where subscriber.email = given.address
    ) as is_active, row_number() over (partition by address order by line) = 1 as is_first
    from given
  )`;

const STATE = (added: string) => `select line, case
    when known.address is null then 'invalid'
    when is_active is null then case when ${added} then 'added' else 'active' end
    when is_active then 'active' else 'ended' end as state`;

/** SQL of a dry run, which adds nothing. The state of a line is 'added' if an import would add it. */
const DRY_RUN = `with ${CLASSIFIED} ${STATE('is_first')} from known`;

const IMPORT = `with ${CLASSIFIED}, added as (
    insert into public.email_subscribers (email, created_at, confirmed_at, alerts)
    select address, consented_at, consented_at, alerts from known
    where address is not null and is_active is null and is_first order by line
    on conflict (lower(btrim(email))) where is_active do nothing
    returning email
  )
  ${STATE('is_first and added.email is not null')} from known left join added on added.email = known.address`;

/** Imports lines in one transaction, or a dry run. Returns each line's state by its number. */
async function importBatch(
  database: Database,
  lines: readonly ActiveLine[],
  apply: boolean,
): Promise<Map<number, LineState>> {
  const given = lines.map(({ line, email, consentedAt, alerts }) => ({
    line,
    email,
    alerts,
    consented_at: new Date(consentedAt).toISOString(),
  }));
  const rows = await queryOnce<{ line: number; state: LineState }>(
    database,
    apply ? IMPORT : DRY_RUN,
    [JSON.stringify(given)],
    apply ? DURABLE : READ_ONLY,
  );
  return new Map(rows.map(({ line, state }) => [line, state]));
}

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
  let waiting: ActiveLine[] = [];

  const hasEnded = ({ email, consentedAt }: ActiveLine): boolean =>
    ends.size > 0 && (ends.get(digestOf(email)) ?? 0) >= consentedAt;

  function countFault(line: number, reason: string): void {
    counts.malformed += 1;
    const fault = faults.get(reason) ?? { count: 0, lines: [] };
    fault.count += 1;
    if (fault.lines.length < LINES_KEPT) fault.lines.push(line);
    faults.set(reason, fault);
  }

  function countState({ line, email }: ActiveLine, state: LineState | undefined): void {
    if (state === undefined)
      throw new Error(`The database returned no result for line ${line}. Run the import again.`);
    if (state === 'invalid') {
      countFault(line, 'not an address that can receive mail');
      return;
    }
    const digest = digestOf(email);
    if (state !== 'ended' && seen.has(digest)) counts.repeated += 1;
    else counts[state] += 1;
    seen.add(digest);
  }

  async function importWaiting(): Promise<void> {
    signal?.throwIfAborted();
    const batch = waiting;
    waiting = [];
    const states = await importBatch(database, batch, apply);
    for (const line of batch) countState(line, states.get(line.line));
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
