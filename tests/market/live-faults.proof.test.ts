import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readUniverse } from '#collector/csv/market-files.ts';
import type { InputOrigin } from '#collector/history/source.ts';
import { createProblems, type ProblemSummary } from '#collector/problems.ts';
import {
  PROVIDER_LABELS,
  PROVIDER_NAMES,
  type ProviderCalls,
  type ProviderName,
} from '#collector/providers/provider.ts';
import { PUBLISHED_TABLES } from '#collector/publish/row-sets.ts';
import type { Database, Row } from '#database/port.ts';
import type { Member } from '#domain/market-history.ts';
import { backfill, collect } from '#tests/support/collect.ts';
import { emptyCollected } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { journalDifferences } from '#tests/support/journal-differences.ts';
import { type Fault, type FaultOptions, isTransportFault } from '#tests/support/providers/faults.ts';
import { liveOver } from '#tests/support/providers/live.ts';
import { type ProviderStubs, STUB_KEYS, startProviderStubs } from '#tests/support/providers/stubs.ts';
import { ROOT } from '../../scripts/set-up.mjs';

/** Four hours after Thursday's close, the time of the backfill, and after Friday's, the time of the runs. */
const THURSDAY = Date.parse('2026-11-20T01:30:00Z');
const FRIDAY = Date.parse('2026-11-21T01:30:00Z');
const UNIVERSE = join(ROOT, 'src', 'collector', 'universe', 'sp500.csv');
/** The oldest session a run may change. */
const CHANGEABLE = '2026-11-02';
const FRIDAYS = '2026-11-20';

const { database } = databaseOfTheseTests();
let stubs: ProviderStubs;
let members: Member[];
let clock = THURSDAY;
const now = () => clock;

/** The rows and the record of a run. */
interface Outcome {
  rows: Map<string, Row>;
  /** The quality events of the run in the order of their ids. */
  events: string[];
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
  hanging?: readonly ProviderName[];
  altered?: (body: string) => string;
  /** Time of our clock (epoch ms). */
  at?: number;
  /** Time of the providers' clocks (epoch ms). */
  theirs?: number;
}

/**
 * Runs `work` and rolls back all its changes: its transactions are savepoints of one outer transaction. `work` must not
 * use roles.
 */
async function rolledBack<T>(database: Database, work: (database: Database) => Promise<T>): Promise<T> {
  const over = new Error('rolled back');
  let result: { value: T } | null = null;
  await database
    .transaction(async (outer) => {
      let last: Promise<unknown> = Promise.resolve();
      const inside: Database = {
        ...database,
        transaction: (inner) => {
          const turn = last.then(async () => {
            await outer.query('savepoint inside');
            try {
              const value = await inner(outer);
              await outer.query('release savepoint inside');
              return value;
            } catch (error) {
              await outer.query('rollback to savepoint inside');
              throw error;
            }
          });
          last = turn.catch(() => undefined);
          return turn;
        },
      };
      result = { value: await work(inside) };
      throw over;
    })
    .catch((error) => {
      if (error !== over) throw error;
    });
  return (result as unknown as { value: T }).value;
}

/**
 * Runs over Thursday's tables, once per circumstance, and restores them. Compares them with the journal after a second run,
 * which replaces records of the first.
 */
function run(...all: readonly Circumstances[]): Promise<Outcome> {
  return rolledBack(database, async (database) => {
    for (const { mute, hanging, altered, at = FRIDAY, theirs = at, faults = [] } of all) {
      clock = theirs;
      stubs.reset();
      for (const [provider, fault, options] of faults) stubs.fault(provider, fault, options);
      const source = liveOver(stubs, { members, now: () => at, hanging, mute, altered });
      await collect({ database, source, now: () => at }).catch(() => undefined);
    }
    if (all.length > 1) expect(await journalDifferences(database)).toEqual([]);
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
    // The runs of these tests are a day apart.
    const events = await transaction.query<{ text: string }>(
      `select concat_ws(' | ', session, kind, input, provider, detail, before, after) as text
       from public.quality_events where kind <> 'missed run' order by id`,
    );
    const [record] = await transaction.query(
      'select status, error, problems, providers, origins from collector.runs order by id desc limit 1',
    );
    return { rows, events: events.map(({ text }) => text), record: record as unknown as Outcome['record'] };
  });
}

/** The cells that differ between two outcomes by more than rounding. */
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

const notesOf = ({ record }: Outcome) => record.problems.flatMap(({ first }) => first);

beforeAll(async () => {
  const all = await readUniverse(UNIVERSE, createProblems());
  const sectors = [...new Set(all.map(({ sector }) => sector))];
  members = sectors.flatMap((sector, at) =>
    all.filter((member) => member.sector === sector).slice(0, at < 6 ? 2 : 1),
  );
  stubs = await startProviderStubs({ members, now, first: '2025-01-02' });
  await backfill({ database, source: liveOver(stubs, { members, now }), now });
});
afterAll(() => stubs.close());

/**
 * One fault of each kind with the same outcome as a provider without data: an unreadable response, none, and values out of
 * bounds. `src/collector/providers/http-client.test.ts` has all faults of a response, the tests beside it those of a format.
 */
const WITHOUT_BARS = ['html', 'hangs', 'zero price'] as const;
const WITHOUT_SERIES = ['hangs', 'absurd value'] as const;
const HAVE_BARS: readonly ProviderName[] = ['alpaca', 'yahoo'];

const CASES: readonly {
  provider: ProviderName;
  fault: Fault;
  path?: string;
  like: 'without' | 'undisturbed';
}[] = [
  ...PROVIDER_NAMES.flatMap((provider) => [
    ...(HAVE_BARS.includes(provider) ? WITHOUT_BARS : WITHOUT_SERIES).map((fault) => {
      // `alpaca.test.ts` covers the minute bars.
      const path = provider === 'alpaca' && fault === 'zero price' ? '1Day' : '';
      return { provider, fault, path, like: 'without' as const };
    }),
    { provider, fault: 'repeated day' as const, like: 'undisturbed' as const },
  ]),
  // A diary of the Wall Street Journal has a single session, so its future date leaves no data.
  { provider: 'wsj', fault: 'future date', like: 'without' },
  { provider: 'alpaca', fault: '403', like: 'without' },
  // The fallback provider also has the VIX, so the run is like an undisturbed one.
  { provider: 'cboe', fault: 'unadjusted split', path: 'VIX', like: 'undisturbed' },
];

const late = (...inputs: string[]) =>
  inputs.map((input) => `2026-11-20 | late | ${input} | newest value of 2026-11-19`);
const EXCHANGE = ['advances', 'declines', 'unchanged', 'new_highs', 'new_lows', 'trin'];
/** The quality events of a run without data of a provider. */
const EVENTS_WITHOUT: Readonly<Record<ProviderName, readonly string[]>> = {
  alpaca: late('tick_proxy'),
  yahoo: late('sp500_close', 'nasdaq_composite_close', 'dow_jones_close'),
  cboe: late('put_call_total', 'put_call_equity'),
  // FRED publishes these values on the day after their session.
  fred: ['high_yield_oas', 'investment_grade_oas'].map(
    (input) => `2026-11-20 | late | ${input} | newest value of 2026-11-18`,
  ),
  // FRED has the yield too, on the next day.
  treasury: [],
  ofr: ['2026-11-20 | late | ofr_stress_index | newest value of 2026-11-17'],
  // The set of stocks stays the same in a session without the exchange's counts.
  wsj: late(...EXCHANGE.map((name) => `nyse_${name}`)),
};
/** The quality event of a fault itself. The other faults have no event of their own. */
const EVENT_OF: Readonly<Record<string, string>> = {
  'alpaca html': 'provider down | alpaca | 3 of 3 requests failed: unreadable',
  'alpaca hangs': 'provider down | alpaca | 8 of 8 requests failed: timeout',
  'alpaca zero price': 'refused | price: 18 rows',
  'alpaca repeated day': 'refused | duplicate: 35 rows',
  'alpaca 403': 'provider down | alpaca | 1 of 1 requests failed: refused',
  'yahoo html': 'provider down | yahoo | 3 of 3 requests failed: unreadable',
  'yahoo hangs': 'provider down | yahoo | 8 of 8 requests failed: timeout',
  'yahoo zero price': 'refused | price: 3 rows',
  'yahoo repeated day': 'refused | duplicate: 3 rows',
  'cboe hangs': 'provider down | cboe | 12 of 12 requests failed: timeout',
  'cboe absurd value': 'refused | price: 21 rows',
  'cboe repeated day': 'refused | duplicate: 21 rows',
  'cboe unadjusted split': 'refused | price: 1 row',
  'fred hangs': 'provider down | fred | 8 of 8 requests failed: timeout',
  'fred absurd value': 'refused | price: 2 rows',
  'fred repeated day': 'refused | duplicate: 2 rows',
  'treasury hangs': 'provider down | treasury | 4 of 4 requests failed: timeout',
  'treasury absurd value': 'refused | price: 1 row',
  'treasury repeated day': 'refused | duplicate: 1 row',
  'ofr hangs': 'provider down | ofr | 4 of 4 requests failed: timeout',
  'ofr absurd value': 'refused | price: 1 row',
  'ofr repeated day': 'refused | duplicate: 1 row',
  'wsj hangs': 'provider down | wsj | 4 of 4 requests failed: timeout',
  'wsj repeated day': 'refused | duplicate: 6 rows',
};

const without = new Map<ProviderName, Outcome>();
let before: Outcome;
let undisturbed: Outcome;
beforeAll(async () => {
  before = await run();
  undisturbed = await run({});
  for (const name of PROVIDER_NAMES) without.set(name, await run({ mute: [name] }));
});

describe('a run in which one provider fails', () => {
  it('has every input without a failure', () => {
    expect(undisturbed.record.problems.map(({ kind }) => kind)).toEqual(['correction']);
    expect([...before.events, ...undisturbed.events]).toEqual([]);
    expect(undisturbed.record.origins.filter(({ session }) => session !== FRIDAYS)).toMatchObject([
      { input: 'high_yield_oas', session: '2026-11-19' },
      { input: 'investment_grade_oas', session: '2026-11-19' },
      { input: 'ofr_stress_index', session: '2026-11-18' },
    ]);
    for (const [name, outcome] of without) {
      expect(differences(outcome, undisturbed)).not.toEqual([]);
      expect(outcome.events).toEqual(EVENTS_WITHOUT[name]);
    }
  });

  it('publishes an open session up to the delay of the feed', async () => {
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
    const hanging = fault === 'hangs' ? [provider] : [];
    const outcome = await run({ faults: [[provider, fault, { path }]], hanging });
    expect(outcome.record).toMatchObject({ status: 'succeeded', error: null });
    const expected = like === 'undisturbed' ? undisturbed : (without.get(provider) as Outcome);
    const differing = differences(outcome, expected).filter(
      (cell) => path !== '1Day' || !cell.includes('tick_'),
    );
    expect(differing).toEqual([]);
    expect(notesOf(outcome).filter((text) => text.includes(PROVIDER_LABELS[provider]))).not.toEqual([]);
    if (isTransportFault(fault))
      expect(outcome.record.providers.find((calls) => calls.provider === provider)?.failures).not.toEqual({});
    const event = EVENT_OF[`${provider} ${fault}`];
    // A fault of the daily bars leaves the minute bars of Alpaca, from which TICK is computed.
    const isWithout = like === 'without' && path !== '1Day';
    expect(outcome.events).toEqual([
      ...(event === undefined ? [] : [`2026-11-20 | ${event}`]),
      ...(isWithout ? EVENTS_WITHOUT[provider] : []),
    ]);
  });

  it('ignores data of a future day and names its provider', async () => {
    const providers = PROVIDER_NAMES.filter((name) => name !== 'wsj');
    const outcome = await run({ faults: providers.map((provider) => [provider, 'future date']) });
    expect(outcome.record).toMatchObject({ status: 'succeeded', error: null });
    expect(differences(outcome, undisturbed)).toEqual([]);
    // The record has the first rows of each kind only; those of the slowest provider come later.
    for (const provider of providers.filter((name) => name !== 'ofr'))
      expect(notesOf(outcome).join('\n')).toContain(PROVIDER_LABELS[provider]);
    expect(outcome.events).toEqual([
      '2026-11-20 | refused | future date: 23 rows',
      '2026-11-20 | refused | provider: 3 rows',
      '2026-11-20 | refused | number: 17 rows',
    ]);
  });

  it.each([['alpaca'], ['yahoo'], ['cboe', 'fred', 'wsj']] as const)(
    'is corrected by the next run: %s %s %s',
    async (...providers) => {
      const faults = providers.map((provider) => [provider, 'html'] as const);
      const outcome = await run({ faults }, {});
      expect(differences(outcome, undisturbed)).toEqual([]);
      const inputs = (kind: string) =>
        outcome.events.flatMap((event) => event.split(`| ${kind} | `)[1] ?? []);
      expect(inputs('completed').map((text) => text.split(' | ')[0])).toEqual(
        inputs('late').map((text) => text.split(' | ')[0]),
      );
    },
  );
});

describe('a run without enough bars', () => {
  const both = (fault: Fault, options: FaultOptions = {}): Disturbance[] => [
    ['alpaca', fault, options],
    ['yahoo', fault, options],
  ];

  const FAILURE_EVENTS = {
    html: [
      '2026-11-20 | provider down | alpaca | 2 of 2 requests failed: unreadable',
      '2026-11-20 | provider down | yahoo | 7 of 7 requests failed: unreadable',
    ],
    hangs: ['alpaca', 'yahoo'].map(
      (name) => `2026-11-20 | provider down | ${name} | 8 of 8 requests failed: timeout`,
    ),
    'zero price': ['2026-11-20 | refused | price: 39 rows'],
    stale: ['2026-11-20 | provider down | alpaca | 2 of 2 requests failed: refused'],
  };

  it.each(['html', 'hangs', 'zero price', 'stale'] as const)(
    'keeps the published rows until the next run corrects them, and names the reasons: %s',
    async (fault) => {
      const failing = {
        faults: both(fault),
        hanging: fault === 'hangs' ? (['alpaca', 'yahoo'] as const) : [],
      };
      const outcome = await run(failing);
      expect(differences(outcome, before)).toEqual([]);
      expect(outcome.record).toMatchObject({
        status: 'failed',
        error:
          'Only 0 of 17 symbols have a bar of 2026-11-20 (was the exchange closed?). The published rows stay, and the next run retries.',
      });
      expect(notesOf(outcome).join()).toMatch(/Alpaca.*Yahoo/s);
      expect(outcome.events).toEqual(FAILURE_EVENTS[fault]);
      if (fault === 'html') expect(differences(await run(failing, {}), undisturbed)).toEqual([]);
    },
  );

  it('fails if more than a tenth of the symbols have no bar', async () => {
    const symbols = members.slice(0, 3).map(({ symbol }) => symbol);
    const outcome = await run({ faults: both('missing symbol', { symbols }) });
    expect(differences(outcome, before)).toEqual([]);
    expect(outcome.record.error).toMatch(/^Only 14 of 17 symbols/);
  });
});

describe('a run over hostile responses', () => {
  const HOSTILE = 'hostile <img src=x> a@b.example https://evil.example/?key=';
  const quoted = JSON.stringify(HOSTILE);

  it.each([
    ['texts', (body: string) => body.replaceAll(/"[^"]*"(?!\s*:)/g, quoted)],
    ['names', (body: string) => body.replaceAll(/"[^"]*"(?=\s*:)/g, quoted)],
    ['numbers', (body: string) => body.replaceAll(/\d+(\.\d+)?/g, quoted)],
  ])('records events without any text, address or key of a provider: %s', async (_, altered) => {
    const { events } = await run({ altered });
    expect(events.length).toBeGreaterThan(0);
    const keys = [STUB_KEYS.fred, ...Object.values(STUB_KEYS.alpaca)];
    for (const text of ['hostile', '<', '@', '//', '127.0.0.1', ...keys]) {
      expect(events.filter((event) => event.includes(text))).toEqual([]);
    }
  });
});

describe('a run with one wrong symbol', () => {
  const symbols = ['AAPL'];
  const split = ['alpaca', 'unadjusted split', { symbols, path: '1Day' }] as const;

  it('fetches the symbol from the fallback', async () => {
    const outcome = await run({ faults: [['alpaca', 'unknown symbol', { symbols, path: '1Day' }]] });
    expect(differences(outcome, undisturbed)).toEqual([]);
  });

  it('leaves the symbol out if no provider has it', async () => {
    const outcome = await run({
      faults: [
        ['alpaca', 'missing symbol', { symbols }],
        ['yahoo', 'missing symbol', { symbols }],
      ],
    });
    expect(outcome.record.status).toBe('succeeded');
    expect(notesOf(outcome)).toContain('No provider has a bar of AAPL on 2026-11-20.');
    // An unadjusted split is not a market move: the symbol is left out of the session.
    const ofSplit = await run({ faults: [split] });
    const published = (cell: string) => cell.startsWith('public.') && !cell.includes('tick_');
    expect(differences(ofSplit, outcome).filter(published)).toEqual([]);
    expect(notesOf(ofSplit).join()).toMatch(
      /AAPL moved -7\d % on 2026-11-20 and is left out of that session/,
    );
  });

  it('fetches the full history of the symbol again after a readjustment', async () => {
    const outcome = await run({ faults: [split] }, {});
    expect(differences(outcome, undisturbed)).toEqual([]);
  });
});

describe('a provider whose clock is ten minutes off', () => {
  it.each(['clock ahead', 'clock behind'] as const)('changes no published row: %s', async (fault) => {
    const those = PROVIDER_NAMES.filter((name) => name !== 'alpaca' || fault !== 'clock behind');
    const outcome = await run({ faults: those.map((provider) => [provider, fault]) });
    expect(differences(outcome, undisturbed)).toEqual([]);
  });

  it('is replaced by its fallback if it is Alpaca and refuses recent data', async () => {
    const outcome = await run({ faults: [['alpaca', 'clock behind']] });
    const differing = differences(outcome, without.get('alpaca') as Outcome);
    // One-minute closes end with the session, so Alpaca does not refuse them as too recent.
    expect(differing.filter((cell) => !cell.includes('tick_'))).toEqual([]);
    expect(notesOf(outcome).join()).toContain("check this computer's clock");
  });
});

describe('a run on a computer with a wrong clock', () => {
  const closing = ({ rows }: Outcome) =>
    [...rows.keys()].filter((name) => name.includes('2026-11-20T21:00:00+00:00'));
  const withoutOpenSession = (outcome: Outcome) => ({
    ...outcome,
    rows: new Map([...outcome.rows].filter(([name]) => !/2026-11-20T(20|21:0[1-9])/.test(name))),
  });
  const at = (ours: string, theirs: string) => ({
    at: Date.parse(`2026-11-20T${ours}:00Z`),
    theirs: Date.parse(`2026-11-20T${theirs}:00Z`),
  });

  it.each([
    ['ahead, before the close', '21:05', '20:55'],
    ['behind, after the session is final', '21:25', '21:35'],
  ])('publishes values of the open session, not a close: %s', async (_, ours, theirs) => {
    const circumstances = at(ours, theirs);
    const outcome = await run(circumstances);
    expect(outcome.record).toMatchObject({ status: 'succeeded' });
    expect(closing(outcome)).toEqual([]);
    expect(
      [...outcome.rows.keys()].filter((name) => name.startsWith('public.market_metrics 2026-11-20')),
    ).toHaveLength(1);
    expect(differences(withoutOpenSession(await run(circumstances, {})), undisturbed)).toEqual([]);
  });

  it('publishes the true close if the clock is ten minutes ahead half an hour after the bell', async () => {
    const circumstances = at('21:32', '21:22');
    const outcome = await run(circumstances);
    expect(closing(outcome)).not.toEqual([]);
    const bars = ({ rows }: Outcome) =>
      [...rows].filter(([name]) => name.startsWith(`collector.bars ${FRIDAYS}`));
    expect(bars(outcome)).toEqual(bars(undisturbed));
    expect(differences(await run(circumstances, {}), undisturbed)).toEqual([]);
  });

  it('publishes nothing and fails if the clock is two days behind', async () => {
    const behind = { at: FRIDAY - 2 * 86_400_000, theirs: FRIDAY };
    const outcome = await run(behind);
    expect(outcome.record.error).toMatch(
      /^A row of publications is dated 2026-11-19T\S+Z, earlier than its newest row/,
    );
    // The session of the wrong clock gets its TICK and its Financial Stress Index, which the backfill did not find.
    const withoutTick = (cells: readonly string[]) => cells.filter((cell) => !/tick_|ofr_/.test(cell));
    expect(withoutTick(differences(outcome, before))).toEqual([]);
    expect(withoutTick(differences(await run(behind, {}), undisturbed))).toEqual([]);
  });

  it.each([
    ['an hour', '21:32', '20:32'],
    ['five hours', '21:32', '16:32'],
  ])(
    'publishes nothing and fails if the clock is %s ahead while the session is open',
    async (_, ours, theirs) => {
      const outcome = await run(at(ours, theirs));
      expect(outcome.record.error).toMatch(/^Only 0 of 17 symbols have a bar of 2026-11-20 /);
      expect(notesOf(outcome).join()).toContain("check this computer's clock");
      expect(differences(outcome, before)).toEqual([]);
    },
  );
});

describe('a backfill of an empty database', () => {
  const { database: empty } = databaseOfTheseTests();
  beforeAll(async () => {
    clock = FRIDAY;
  });
  afterEach(() => emptyCollected(empty));

  /** Backfills some members from a day on. */
  async function backfillOf(of: readonly Member[], first: string) {
    const providers = await startProviderStubs({ members: of, now, first });
    const source = liveOver(providers, { members: of, now });
    const report = await backfill({ database: empty, source, now });
    const { rows } = await outcomeIn(empty);
    await providers.close();
    expect(report).toMatchObject({ lastSession: FRIDAYS, refusals: [], notes: [] });
    const asked = providers.asked().flatMap(({ provider, url }) => (provider === 'cboe' ? [] : [url]));
    // Files of many days, and Cboe's newest days, are requested again, since they have no origin yet.
    const again = asked.filter((url, at) => asked.indexOf(url) !== at);
    expect(again.filter((url) => !/treasury-rates|fsi\.csv/.test(url))).toEqual([]);
    const bars = [...rows.keys()].filter((name) => name.startsWith(`collector.bars ${FRIDAYS}`));
    expect(bars).toHaveLength(of.length);
    return { rows, asked };
  }

  // Fewer members may have no 52-week high or low. The bars of this many take several pages and parts.
  it('fills every column of every table once all needed sessions are stored', async () => {
    const all = await readUniverse(UNIVERSE, createProblems());
    const { rows, asked } = await backfillOf(
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

  it('stores a bar of every member of the universe with one request each', async () => {
    await backfillOf(await readUniverse(UNIVERSE, createProblems()), '2026-08-03');
  });
});
