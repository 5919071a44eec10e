import { type Database, READ_ONLY, type Transaction } from '#database/port.ts';
import { SERIES } from '#domain/market-history.ts';
import type { Source } from '../history/source.ts';
import { SourceError } from '../problems.ts';
import type { Input } from '../providers/provider.ts';
import { decideRight, EVERYTHING, RIGHTS, type Right } from '../providers/rights.ts';
import type { RightOf } from './row-sets.ts';

const INPUTS: readonly Input[] = ['bars', ...SERIES];
const rankOf = (right: Right) => RIGHTS.indexOf(right);

/** Reads the rights of a source and those published. Throws SourceError if these are higher: the ledger never changes. */
async function readRights(transaction: Transaction, source: Source) {
  const { settings = EVERYTHING, suppliersOf = () => [] } = source.publishing ?? {};
  const stored = await transaction.query<{ input: string; provider: string }>(
    `select distinct input, provider from public.input_origins where provider is not null`,
  );
  const [known] = await transaction.query<{ rights: Partial<Record<Input, Right>> }>(
    'select rights from operations.published_rights',
  );
  const published = known?.rights ?? {};
  const rights = new Map<Input, Right>();
  for (const input of INPUTS) {
    const earlier = stored.flatMap((row) => (row.input === input ? [row.provider] : []));
    const suppliers = [...suppliersOf(input), ...earlier];
    if (suppliers.length > 0) rights.set(input, decideRight(settings, suppliers, input));
  }
  const forbidden = INPUTS.filter((input) => {
    const allowed = rights.get(input) ?? (settings.audience === 'public' ? 'none' : 'value');
    return rankOf(published[input] ?? 'none') > rankOf(allowed);
  });
  if (forbidden.length > 0) {
    throw new SourceError(
      `This database has published data that AUDIENCE=public does not allow (${forbidden.map((input) => input.replaceAll('_', ' ')).join(', ')}), and its ledger cannot change. State your licences in LICENSES, or begin a new record: set BAROMETER_DATA_DIR or DATABASE_URL to a new database.`,
    );
  }
  return { rights, published };
}

/** Throws SourceError if the database has published data that the source may not publish. */
export async function checkPublishedRights(database: Database, source: Source): Promise<void> {
  if (source.name === 'simulated') return;
  await database.transaction((transaction) => readRights(transaction, source), READ_ONLY);
}

/** Returns and records what a run may publish of each input. Throws SourceError like `readRights`. */
export async function storeRights(database: Database, source: Source): Promise<RightOf> {
  if (source.name === 'simulated') return () => 'value';
  const rights = await database.transaction(async (transaction) => {
    const { rights, published } = await readRights(transaction, source);
    const most = { ...published };
    for (const [input, right] of rights) {
      if (rankOf(right) > rankOf(most[input] ?? 'none')) most[input] = right;
    }
    await transaction.query(
      `insert into operations.published_rights as known (rights) values ($1::text::jsonb)
       on conflict (only_one) do update set rights = excluded.rights where known.rights <> excluded.rights`,
      [JSON.stringify(most)],
    );
    return rights;
  });
  // Stored values of an unknown supplier are not shown to the public.
  const unknown = source.publishing?.settings.audience === 'public' ? 'none' : 'value';
  return (input) => rights.get(input) ?? unknown;
}
