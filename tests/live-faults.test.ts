import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { backfill, collect } from '#collector/collect.ts';
import { readUniverse } from '#collector/csv/universe.ts';
import type { InputOrigin } from '#collector/origins.ts';
import { createProblems, type ProblemSummary } from '#collector/problems.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import { PROVIDER_LABELS, PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { PUBLISHED_TABLES } from '#collector/publish/tables.ts';
import type { Database, Row } from '#database/port.ts';
import type { Member } from '#domain/market-history.ts';
import { ROOT } from '../scripts/set-up.mjs';
import { emptyCollected } from './support/collected.ts';
import { type EmbeddedForTest, embeddedForTest } from './support/embedded.ts';
import { type Fault, type FaultOptions, isTransportFault } from './support/providers/faults.ts';
import { liveOver } from './support/providers/live.ts';
import { type ProviderStubs, startProviderStubs } from './support/providers/stubs.ts';
import { rehearse } from './support/rehearsal.ts';

/** Four hours after the closes of Thursday, when everything is filled, and of Friday, when it is run again. */
const THURSDAY = Date.parse('2026-11-20T01:30:00Z');
const FRIDAY = Date.parse('2026-11-21T01:30:00Z');
const UNIVERSE = join(ROOT, 'src', 'collector', 'universe', 'sp500.csv');
/** The oldest session a run may change. */
const CHANGEABLE = '2026-11-02';
const FRIDAYS = '2026-11-20';

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

type Disturbance = readonly [ProviderName, Fault, FaultOptions?];

interface Circumstances {
  faults?: readonly Disturbance[];
  mute?: readonly ProviderName[];
  givenUp?: readonly ProviderName[];
  /** By our clock. */
  at?: number;
  /** By the providers'. */
  theirs?: number;
}

/** Runs over Thursday's tables, once in each of the circumstances, and puts the tables back. */
function run(...all: readonly Circumstances[]): Promise<Outcome> {
  return rehearse(embedded.database, async (database) => {
    for (const { mute, givenUp, at = FRIDAY, theirs = at, faults = [] } of all) {
      clock = theirs;
      stubs.reset();
      for (const [provider, fault, options] of faults) stubs.fault(provider, fault, options);
      const source = liveOver(stubs, { members, now: () => at, givenUp, mute });
      await collect({ database, source, now: () => at }).catch(() => undefined);
    }
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
  stubs = await startProviderStubs({ members, now, first: '2025-01-02' });
  embedded = await embeddedForTest();
  await backfill({ database: embedded.database, source: liveOver(stubs, { members, now }), now });
});
afterAll(async () => {
  await stubs.close();
  await embedded.remove();
});

/** A provider with one of these is as if it had nothing. */
const LIKE_NOTHING = [
  'html',
  'truncated',
  'empty',
  '500',
  '403',
  'hangs',
  'nulls',
  'zero price',
  'absurd value',
  'stale',
] as const;
/** A provider with one of these is as if nothing were wrong. */
const LIKE_EVER = ['future date', 'repeated day', 'clock ahead', 'clock behind'] as const;
/** What is wrong with the minutes of a day costs no day; that is looked at with the provider itself. */
const OF_A_DAY: readonly Fault[] = ['nulls', 'zero price', 'absurd value', 'stale'];

const CASES: readonly { provider: ProviderName; fault: Fault; path?: string; like: 'nothing' | 'ever' }[] = [
  ...PROVIDER_NAMES.flatMap((provider) => [
    ...LIKE_NOTHING.map((fault) => {
      const path = provider === 'alpaca' && OF_A_DAY.includes(fault) ? '1Day' : '';
      return { provider, fault, path, like: 'nothing' as const };
    }),
    // A diary of one session cannot be there beside another one.
    ...LIKE_EVER.map((fault) => {
      const like = provider === 'wsj' && fault === 'future date' ? ('nothing' as const) : ('ever' as const);
      return { provider, fault, like };
    }),
  ]),
  { provider: 'yahoo', fault: 'missing symbol', like: 'nothing' },
  { provider: 'cboe', fault: 'missing symbol', like: 'nothing' },
  { provider: 'wsj', fault: 'missing symbol', like: 'nothing' },
  { provider: 'yahoo', fault: 'unadjusted split', like: 'nothing' },
  { provider: 'fred', fault: 'unadjusted split', like: 'nothing' },
  // The fallback has the VIX.
  { provider: 'cboe', fault: 'unadjusted split', path: 'VIX', like: 'ever' },
];

const without = new Map<ProviderName, Outcome>();
let before: Outcome;
let undisturbed: Outcome;
beforeAll(async () => {
  before = await run();
  undisturbed = await run({});
  for (const name of PROVIDER_NAMES) without.set(name, await run({ mute: [name] }));
});

describe('a run of which one provider fails', () => {
  it('has every input when none does, and lacks some without any of them', () => {
    expect(undisturbed.record.problems.map(({ kind }) => kind)).toEqual(['correction']);
    expect(undisturbed.record.origins.filter(({ session }) => session !== FRIDAYS)).toMatchObject([
      { input: 'high_yield_oas', session: '2026-11-19' },
      { input: 'investment_grade_oas', session: '2026-11-19' },
      { input: 'treasury_10y_yield', session: '2026-11-19' },
    ]);
    for (const outcome of without.values()) expect(differences(outcome, undisturbed)).not.toEqual([]);
  });

  it('has an open session as far as the delayed feed reaches', async () => {
    const { rows } = await run({ at: Date.parse('2026-11-20T17:00:00Z') });
    const [indicators] = [...rows].flatMap(([name, row]) =>
      name.startsWith('public.advanced_indicators 2026-11-20') ? [row] : [],
    );
    expect(indicators).toMatchObject({
      created_at: '2026-11-20T16:44:00+00:00',
      vix: expect.any(Number),
      tick_index: expect.any(Number),
      put_call_ratio: null,
    });
    expect([...rows.keys()].filter((name) => name.startsWith('collector.bars 2026-11-20'))).toEqual([]);
  });

  it.each(CASES)('$provider: $fault', async ({ provider, fault, path = '', like }) => {
    const givenUp = fault === 'hangs' ? [provider] : [];
    const outcome = await run({ faults: [[provider, fault, { path }]], givenUp });
    expect(outcome.record).toMatchObject({ status: 'succeeded', error: null });
    const expected = like === 'ever' ? undisturbed : (without.get(provider) as Outcome);
    const differing = differences(outcome, expected).filter(
      (cell) => path !== '1Day' || !cell.includes('tick_'),
    );
    expect(differing).toEqual([]);
    expect(told(outcome).filter((text) => text.includes(PROVIDER_LABELS[provider]))).not.toEqual([]);
    if (isTransportFault(fault) && fault !== 'truncated')
      expect(outcome.record.providers.find((calls) => calls.provider === provider)?.failures).not.toEqual({});
  });

  it.each(PROVIDER_NAMES)('is made good by the next one: %s', async (provider) => {
    expect(differences(await run({ faults: [[provider, 'html']] }, {}), undisturbed)).toEqual([]);
  });
});

describe('a run without enough bars', () => {
  const both = (fault: Fault, options: FaultOptions = {}): Disturbance[] => [
    ['alpaca', fault, options],
    ['yahoo', fault, options],
  ];

  it.each(['html', 'truncated', 'empty', '500', 'hangs', 'nulls', 'zero price', 'stale'] as const)(
    'leaves the last good rows, says why, and is made good by the next one: %s',
    async (fault) => {
      const failing = {
        faults: both(fault),
        givenUp: fault === 'hangs' ? (['alpaca', 'yahoo'] as const) : [],
      };
      const outcome = await run(failing);
      expect(differences(outcome, before)).toEqual([]);
      expect(outcome.record).toMatchObject({
        status: 'failed',
        error:
          'Only 0 of 17 symbols have a bar of 2026-11-20 (did the exchange stay shut?); the last rows stay, and the next run asks again.',
      });
      expect(told(outcome).join()).toMatch(/Alpaca.*Yahoo/s);
      if (fault === 'html') expect(differences(await run(failing, {}), undisturbed)).toEqual([]);
    },
  );

  it('fails when more than a tenth of the symbols have none', async () => {
    const symbols = members.slice(0, 3).map(({ symbol }) => symbol);
    const outcome = await run({ faults: both('missing symbol', { symbols }) });
    expect(differences(outcome, before)).toEqual([]);
    expect(outcome.record.error).toMatch(/^Only 14 of 17 symbols/);
  });
});

describe('a run in which one symbol is wrong', () => {
  const symbols = ['AAPL'];
  const split = ['alpaca', 'unadjusted split', { symbols, path: '1Day' }] as const;

  it.each(['missing symbol', 'unknown symbol'] as const)('has it from the fallback: %s', async (fault) => {
    const outcome = await run({ faults: [['alpaca', fault, { symbols, path: '1Day' }]] });
    expect(differences(outcome, undisturbed)).toEqual([]);
  });

  it('does without one that nobody has, and says so', async () => {
    const outcome = await run({
      faults: [
        ['alpaca', 'missing symbol', { symbols }],
        ['yahoo', 'missing symbol', { symbols }],
      ],
    });
    expect(outcome.record.status).toBe('succeeded');
    expect(told(outcome)).toContain('No provider has a bar of AAPL on 2026-11-20.');
    // A split that was not adjusted is no move of the market either: that symbol is left out of the session.
    const ofSplit = await run({ faults: [split] });
    const published = (cell: string) => cell.startsWith('public.') && !cell.includes('tick_');
    expect(differences(ofSplit, outcome).filter(published)).toEqual([]);
    expect(told(ofSplit).join()).toMatch(/AAPL moved -7\d % on 2026-11-20 and is left out of that session/);
  });

  it('reads it whole again when its past was adjusted', async () => {
    const outcome = await run({ faults: [split] }, {});
    expect(differences(outcome, undisturbed)).toEqual([]);
  });
});

describe('a clock that is ten minutes off', () => {
  const close = '2026-11-20T21:00:00+00:00';
  const closing = ({ rows }: Outcome) => [...rows.keys()].filter((name) => name.includes(close));
  const ofCloses = (outcome: Outcome) => ({
    ...outcome,
    rows: new Map([...outcome.rows].filter(([name]) => !/2026-11-20T(20|21:0[1-9])/.test(name))),
  });

  it.each([
    ['ahead, before the close', '21:05', '20:55'],
    ['ahead, when ours says that it is settled', '21:32', '21:22'],
    ['behind, when theirs says that it is settled', '21:25', '21:35'],
  ])('never makes a close of what is not one: %s', async (_, ours, theirs) => {
    const at = Date.parse(`2026-11-20T${ours}:00Z`);
    const hour = { at, theirs: Date.parse(`2026-11-20T${theirs}:00Z`) };
    const outcome = await run(hour);
    expect(outcome.record).toMatchObject({ status: 'succeeded' });
    expect(closing(outcome)).toEqual([]);
    expect(
      [...outcome.rows.keys()].filter((name) => name.startsWith('public.market_metrics 2026-11-20')),
    ).toHaveLength(1);
    expect(told(outcome).join()).toMatch(
      /This computer's clock is 10 minutes (ahead of|behind) the providers'; set it right/,
    );
    expect(differences(ofCloses(await run(hour, {})), undisturbed)).toEqual([]);
  });
});

describe('a fill of an empty database', () => {
  let empty: EmbeddedForTest;
  beforeAll(async () => {
    empty = await embeddedForTest();
    clock = FRIDAY;
  });
  afterEach(() => emptyCollected(empty.database));
  afterAll(() => empty.remove());

  /** Fills it with all there is of some members since a day. */
  async function fill(of: readonly Member[], first: string) {
    const providers = await startProviderStubs({ members: of, now, first });
    const source = liveOver(providers, { members: of, now });
    const report = await backfill({ database: empty.database, source, now });
    const { rows } = await outcomeIn(empty.database);
    await providers.close();
    expect(report).toMatchObject({ lastSession: FRIDAYS, refusals: [], notes: [] });
    // Of Cboe the newest days are asked for again, to know whose they are.
    const asked = providers.asked().flatMap(({ provider, url }) => (provider === 'cboe' ? [] : [url]));
    expect(asked.filter((url, at) => asked.indexOf(url) !== at)).toEqual([]);
    const bars = [...rows.keys()].filter((name) => name.startsWith(`collector.bars ${FRIDAYS}`));
    expect(bars).toHaveLength(of.length);
    return { rows, asked };
  }

  // Of fewer members nobody may be at a high or a low of 52 weeks; bars of so many come in several pages and parts.
  it('has every value in every table, once all sessions are there that any value needs', async () => {
    const all = await readUniverse(UNIVERSE, createProblems());
    const { rows, asked } = await fill(
      all.filter((_, at) => at % 4 === 0),
      '2024-04-01',
    );
    const newest = [...rows].filter(([name]) => name.startsWith('public.') && name.includes(FRIDAYS));
    expect(newest).toHaveLength(3 + 1 + 1 + 11 + 1 + 3 + 1);
    const nulls = newest.flatMap(([name, row]) =>
      Object.keys(row)
        .filter((column) => row[column] === null)
        .map((column) => `${name}.${column}`),
    );
    expect(nulls).toEqual([]);
    expect(asked.filter((url) => url.includes('page_token'))).not.toEqual([]);
  });

  it('has a bar of each member of the whole universe, each asked for once', async () => {
    await fill(await readUniverse(UNIVERSE, createProblems()), '2026-08-03');
  });
});
