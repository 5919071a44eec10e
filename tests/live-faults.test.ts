import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfill, collect } from '#collector/collect.ts';
import { readUniverse } from '#collector/csv/universe.ts';
import type { InputOrigin } from '#collector/origins.ts';
import { createProblems, type ProblemSummary } from '#collector/problems.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { PUBLISHED_TABLES } from '#collector/publish/tables.ts';
import type { Database, Row } from '#database/port.ts';
import type { Member } from '#domain/market-history.ts';
import { type EmbeddedForTest, embeddedForTest } from './support/embedded.ts';
import { type Fault, isTransportFault } from './support/providers/faults.ts';
import { liveOver } from './support/providers/live.ts';
import { type ProviderStubs, startProviderStubs } from './support/providers/stubs.ts';
import { rehearse } from './support/rehearsal.ts';

/** Four hours after the closes of Thursday, when everything is filled, and of Friday, when it is run again. */
const THURSDAY = Date.parse('2026-11-20T01:30:00Z');
const FRIDAY = Date.parse('2026-11-21T01:30:00Z');
const UNIVERSE = 'src/collector/universe/sp500.csv';
/** The oldest session a run may change. */
const CHANGEABLE = '2026-11-02';
const FRIDAYS = '2026-11-20';
const LABELS = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo',
  cboe: 'Cboe',
  fred: 'FRED',
  wsj: 'The Wall Street Journal',
};

let embedded: EmbeddedForTest;
let stubs: ProviderStubs;
let members: Member[];
let clock = THURSDAY;
const now = () => clock;

/** What a run left in the tables, and in its record. */
interface Outcome {
  rows: Map<string, Row>;
  record: {
    status: string;
    error: string | null;
    problems: ProblemSummary[];
    providers: ProviderCalls[];
    origins: InputOrigin[];
  };
}

interface Circumstances {
  mute?: readonly ProviderName[];
  givenUp?: ProviderName;
  /** By our clock. */
  at?: number;
  /** By the providers'. */
  theirs?: number;
}

/** Runs once over Thursday's tables, and puts the tables back. */
function run({ mute, givenUp, at = FRIDAY, theirs = at }: Circumstances = {}): Promise<Outcome> {
  clock = theirs;
  return rehearse(embedded.database, async (database) => {
    const source = liveOver(stubs, { members, now: () => at, givenUp, mute });
    await collect({ database, source, now: () => at }).catch(() => undefined);
    return outcomeIn(database);
  });
}

function outcomeIn(database: Database): Promise<Outcome> {
  return database.transaction(async (transaction) => {
    const rows = new Map<string, Row>();
    const take = async (table: string, day: string, key: string) => {
      const found = await transaction.query<{ row: Row }>(
        `select to_jsonb(t) - 'id' as row from ${table} t where ${day} >= '${CHANGEABLE}'`,
      );
      for (const { row } of found) {
        const at = String(row.created_at ?? row.session);
        rows.set(`${table} ${at} ${key === '' ? '' : String(row[key])}`, row);
      }
    };
    for (const { name, key = '' } of PUBLISHED_TABLES) await take(`public.${name}`, 'created_at', key);
    await take('collector.bars', 'session', 'symbol_id');
    await take('collector.series', 'session', 'name');
    const [record] = await transaction.query(
      'select status, error, problems, providers, origins from collector.runs order by id desc limit 1',
    );
    return { rows, record: record as unknown as Outcome['record'] };
  });
}

/** The cells of two outcomes that are not the same but for rounding. */
function differences(one: Outcome, other: Outcome): string[] {
  return [...new Set([...one.rows.keys(), ...other.rows.keys()])].flatMap((name) => {
    const [a, b] = [one.rows.get(name), other.rows.get(name)];
    if (a === undefined || b === undefined) return [`${name}: ${a === undefined ? 'no row' : 'a row'}`];
    return Object.keys(a)
      .filter((column) => !isSame(a[column], b[column]))
      .map((column) => `${name} ${column}: ${a[column]}, not ${b[column]}`);
  });
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= 1e-5 * Math.max(1e-3, Math.abs(a), Math.abs(b));
}

const told = ({ record }: Outcome) => record.problems.flatMap(({ first }) => first);

beforeAll(async () => {
  const all = await readUniverse(UNIVERSE, createProblems());
  const sectors = [...new Set(all.map(({ sector }) => sector))];
  members = sectors.flatMap((sector, at) =>
    all.filter((member) => member.sector === sector).slice(0, at < 6 ? 2 : 1),
  );
  stubs = await startProviderStubs({ members, now, first: '2024-03-01' });
  embedded = await embeddedForTest();
  await backfill({ database: embedded.database, source: liveOver(stubs, { members, now }), now });
});
afterAll(async () => {
  await stubs.close();
  await embedded.remove();
});

/** Faults of whole answers: what a provider gives is then as if it had nothing. */
const WHOLE = ['html', 'truncated', 'empty', '500', '403', '429', 'hangs'] as const;
/** Faults of the newest day, which is then as if it had not come. */
const OF_THE_DAY = ['nulls', 'zero price', 'absurd value', 'wrong types', 'stale'] as const;
/** Faults beside the days there are, which stay. */
const BESIDE = ['future date', 'repeated day', 'clock ahead', 'clock behind'] as const;
const isOf = (faults: readonly Fault[], fault: Fault) => faults.includes(fault);

describe('a run of which one provider fails', () => {
  const without = new Map<ProviderName, Outcome>();
  let undisturbed: Outcome;
  beforeAll(async () => {
    undisturbed = await run();
    for (const name of PROVIDER_NAMES) without.set(name, await run({ mute: [name] }));
  });

  it('has every input when none does, and lacks some without any of them', () => {
    expect(undisturbed.record.problems.map(({ kind }) => kind)).toEqual(['correction']);
    expect(undisturbed.record.origins.filter(({ session }) => session !== FRIDAYS)).toMatchObject([
      { input: 'high_yield_oas', session: '2026-11-19' },
      { input: 'investment_grade_oas', session: '2026-11-19' },
      { input: 'treasury_10y_yield', session: '2026-11-19' },
    ]);
    for (const outcome of without.values()) expect(differences(outcome, undisturbed)).not.toEqual([]);
  });

  const cases = PROVIDER_NAMES.flatMap((provider) =>
    [...WHOLE, ...OF_THE_DAY, ...BESIDE].map((fault) => ({ provider, fault })),
  );

  it.each(cases)('$provider: $fault', async ({ provider, fault }) => {
    stubs.reset();
    // What is wrong with the minutes of a day costs no day; that is looked at with the provider itself.
    stubs.fault(provider, fault, provider === 'alpaca' && isOf(OF_THE_DAY, fault) ? { path: '1Day' } : {});
    const outcome = await run(fault === 'hangs' ? { givenUp: provider } : {});
    expect(outcome.record).toMatchObject({ status: 'succeeded', error: null });
    // A diary of one session cannot be there beside another one.
    const stays = isOf(BESIDE, fault) && !(provider === 'wsj' && fault === 'future date');
    const expected = stays ? undisturbed : (without.get(provider) as Outcome);
    // The ticks of the minutes are there without the day's bars of the same provider.
    const differing = differences(outcome, expected).filter(
      (text) => !text.includes('tick_') || isOf(WHOLE, fault),
    );
    expect(differing).toEqual([]);
    expect(told(outcome).filter((text) => text.includes(LABELS[provider]))).not.toEqual([]);
    if (isTransportFault(fault) && fault !== 'truncated')
      expect(outcome.record.providers.find((calls) => calls.provider === provider)?.failures).not.toEqual({});
  });
});
