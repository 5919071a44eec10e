import { epochMs, type Transaction } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import type { InputOrigin } from '../history/source.ts';
import { toInstants, toIso } from '../instants.ts';
import type { Input, ProviderName } from '../providers/provider.ts';

export const ORIGIN_COLUMNS = ['input', 'provider', 'session', 'observed_at', 'fetched_at'] as const;

export interface BatchOrigins {
  /** Epoch ms. */
  createdAt: number;
  origins: readonly InputOrigin[];
}

type OriginRecord = {
  provider: ProviderName;
  /** Epoch ms. */
  observed: number | null;
  fetched: number | null;
};

/** Returns the newest recorded origin of a value, by its input and session. */
export type OriginRecords = (input: Input, session: string | null) => OriginRecord | undefined;

export async function readOriginRecords(transaction: Transaction): Promise<OriginRecords> {
  const rows = await transaction.query<OriginRecord & { input: string; session: string }>(
    `select distinct on (input, session) input, session, provider,
       ${epochMs('observed_at')} as observed,
       ${epochMs('fetched_at')} as fetched
     from public.${ORIGINS_TABLE} where provider is not null and session is not null
     order by input, session, created_at desc`,
  );
  const known = new Map(rows.map((row) => [`${row.input} ${row.session}`, row]));
  return (input, session) => known.get(`${input} ${session}`);
}

/** Adds the providers and fetch times of stored values, which the source does not know, from earlier runs' records. */
export function withRecords(origins: readonly InputOrigin[], recordOf: OriginRecords): InputOrigin[] {
  return origins.map((origin) => {
    const record = origin.provider === null ? recordOf(origin.input, origin.session) : undefined;
    if (record === undefined) return origin;
    const { provider, observed, fetched } = record;
    return { ...origin, provider, observedAt: origin.observedAt ?? observed, fetchedAt: fetched };
  });
}

/** Writes the origins of batches, unless only the fetch time differs. Returns the changed batches (epoch ms). */
export async function publishOrigins(
  transaction: Transaction,
  batches: readonly BatchOrigins[],
  { source, changed }: { source: MarketSource; changed: ReadonlySet<number> },
): Promise<Set<number>> {
  const rows = await transaction.query<{ at: number; origins: unknown }>(
    `select ${epochMs('created_at')} as at,
       json_agg(json_build_array(input, provider, session, ${epochMs('observed_at')}::bigint) order by id) as origins
     from public.${ORIGINS_TABLE} where created_at = any($1::timestamptz[]) group by created_at`,
    [toInstants(batches.map(({ createdAt }) => createdAt))],
  );
  const stored = new Map(rows.map(({ at, origins }) => [at, JSON.stringify(origins)]));
  const written = batches.filter(
    ({ createdAt, origins }) => changed.has(createdAt) || stored.get(createdAt) !== textOf(origins),
  );
  const outdated = new Set([...changed, ...written.map(({ createdAt }) => createdAt)]);
  if (outdated.size === 0) return outdated;
  await transaction.query(`delete from public.${ORIGINS_TABLE} where created_at = any($1::timestamptz[])`, [
    toInstants(outdated),
  ]);
  const records = written.flatMap(({ createdAt, origins }) =>
    origins.map(({ input, provider, session, observedAt, fetchedAt }) => ({
      input,
      provider,
      session,
      observed_at: isoOrNull(observedAt),
      fetched_at: isoOrNull(fetchedAt),
      source,
      created_at: toIso(createdAt),
    })),
  );
  await transaction.query(
    `insert into public.${ORIGINS_TABLE} (${ORIGIN_COLUMNS.join(', ')}, source, created_at)
     select ${ORIGIN_COLUMNS.join(', ')}, source, created_at
     from json_to_recordset($1::json) as origin (input text, provider text, session date,
       observed_at timestamptz, fetched_at timestamptz, source text, created_at timestamptz)`,
    [JSON.stringify(records)],
  );
  return outdated;
}

const textOf = (origins: readonly InputOrigin[]): string =>
  JSON.stringify(
    origins.map(({ input, provider, session, observedAt }) => [
      ...[input, provider, session, observedAt && Math.trunc(observedAt)],
    ]),
  );

const isoOrNull = (instant: number | null) => (instant === null ? null : toIso(instant));
