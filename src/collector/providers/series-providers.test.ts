import { beforeEach, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { providerContext } from '#tests/support/provider-context.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { STUB_KEYS } from '#tests/support/providers/stubs.ts';
import { stubsOfTheseTests } from '#tests/support/servers-of-tests.ts';
import type { ProblemKind } from '../problems.ts';
import { createCboe } from './cboe.ts';
import { createFred } from './fred.ts';
import { createOfr } from './ofr.ts';
import type { Provider } from './provider.ts';
import { createTreasury } from './treasury.ts';
import { createWsj } from './wsj.ts';

/** A Friday evening, when all providers but FRED have published the day's values. */
const FRIDAY = Date.parse('2026-11-20T23:30:00Z');
const [FROM, TO] = ['2026-11-09', '2026-11-20'];
const SESSIONS = sessionsBetween(FROM, TO);
const KEY = STUB_KEYS.fred;

let clock = FRIDAY;
const stubs = stubsOfTheseTests({ members: [], now: () => clock, first: '2024-01-02' });
beforeEach(() => {
  clock = FRIDAY;
});

const cboe = () => createCboe({ baseUrl: stubs.urls.cboe });
const fred = (apiKey: string = KEY) => createFred({ baseUrl: stubs.urls.fred, apiKey });
const treasury = () => createTreasury({ baseUrl: stubs.urls.treasury });
const ofr = () => createOfr({ baseUrl: stubs.urls.ofr });
const wsj = () => createWsj({ baseUrl: stubs.urls.wsj });

const request = (series: readonly SeriesName[], { from = FROM, to = TO } = {}) => ({
  ...{ series, from, to },
  ...providerContext(new Date(clock).toISOString()),
});

/** Reads series. Returns the values or the failure, the problems, and the counters. */
async function read(provider: Provider, series: readonly SeriesName[] = [], range = {}) {
  const context = request(series.length === 0 ? (provider.inputs as SeriesName[]) : series, range);
  const { problems, http } = context;
  const values: Partial<Record<SeriesName, Record<string, number>>> = {};
  let failed = null;
  try {
    for (const [name, accepted] of (await provider.readSeries?.(context)) ?? [])
      values[name] = Object.fromEntries(accepted);
  } catch (error) {
    failed = error as { name: string; failure: string; message: string };
  }
  return { values, failed, problems, calls: http.calls()[0] };
}

/** Faults that make a whole response unusable, and their failures. */
const UNUSABLE: readonly [Fault, string][] = [
  ['truncated', 'unreadable'],
  ['no body', 'unreadable'],
  ['empty', 'empty'],
  ['wrong shape', 'unreadable'],
  ['403', 'refused'],
];

async function fails(
  provider: Provider,
  series: readonly SeriesName[],
  fault: Fault,
  options?: FaultOptions,
) {
  stubs.fault(provider.name, fault, options);
  const { failed, values } = await read(provider, series);
  expect(values).toEqual({});
  expect(failed?.name).toBe('ProviderError');
  expect(failed?.message).toMatch(/^[A-Z][^\n]*\.$/);
  expect(failed?.message).not.toMatch(/https?:|api_key|127\.0\.0\.1/);
  expect(failed?.message).not.toContain(KEY);
  return failed?.failure;
}

// On Veterans Day the stock market is open and the bond market is closed. FRED publishes Friday's values on Monday, and the
// OFR its own two sessions late.
const isOfBonds = (session: string) => session !== '2026-11-11';
const OF_FRED = SESSIONS.slice(0, -1);

interface Read {
  of: string;
  create: () => Provider;
  /** The days with values, by series. */
  days: Partial<Record<SeriesName, readonly string[]>>;
  newest: Partial<Record<SeriesName, number>>;
  requests: number;
  /** The failures that differ from those of `UNUSABLE`; null if the response is partly usable. */
  failures?: Partial<Record<Fault, string | null>>;
  /** Faults in the newest day, and the kind of its refusal. */
  refused: readonly (readonly [Fault, ProblemKind])[];
  /** Faults in a day beside the requested ones, and the kind of its refusal; null if the day is ignored. */
  beside: readonly (readonly [Fault, ProblemKind | null])[];
  /** A part of the address in which the faults occur. */
  path?: string;
}

const OF_NUMBERS = [
  ['nulls', 'missing value'],
  ['absurd value', 'price'],
  ['wrong types', 'number'],
] as const;
const OF_BOND_DAYS = [
  ['future date', 'future date'],
  ['repeated day', 'duplicate'],
  ['no session', null],
] as const;
/** Half of a CSV file is still valid, and its last line is rejected. */
const OF_FILES = { truncated: null, 'no body': 'empty' };

const READS: readonly Read[] = [
  {
    of: 'the VIX of Cboe',
    create: cboe,
    days: { vix_close: SESSIONS },
    newest: { vix_close: 19.34 },
    requests: 1,
    failures: OF_FILES,
    refused: [
      ...OF_NUMBERS,
      ['zero price', 'price'],
      ['negative price', 'high below low'],
      ['high below low', 'high below low'],
      ['unadjusted split', 'price'],
    ],
    beside: [
      ['future date', 'future date'],
      ['repeated day', 'duplicate'],
      ['no session', 'date'],
    ],
  },
  {
    of: 'the put/call ratios of Cboe',
    create: cboe,
    days: { put_call_total: SESSIONS, put_call_equity: SESSIONS },
    newest: {},
    requests: SESSIONS.length,
    failures: { empty: null },
    refused: [
      ...OF_NUMBERS,
      ['zero price', 'price'],
      ['missing symbol', 'missing value'],
      ['empty', 'missing value'],
    ],
    beside: [['repeated day', 'duplicate']],
    path: TO,
  },
  {
    of: 'FRED',
    create: fred,
    days: {
      sp500_close: OF_FRED,
      high_yield_oas: OF_FRED.filter(isOfBonds),
      treasury_10y_yield: OF_FRED.filter(isOfBonds),
    },
    newest: { treasury_10y_yield: 4.11 },
    requests: 3,
    refused: [...OF_NUMBERS, ['zero price', 'price'], ['unadjusted split', 'price']],
    beside: OF_BOND_DAYS,
  },
  {
    of: 'the US Treasury',
    create: treasury,
    days: { treasury_10y_yield: SESSIONS.filter(isOfBonds) },
    newest: { treasury_10y_yield: 4.11 },
    requests: 1,
    failures: OF_FILES,
    refused: OF_NUMBERS,
    beside: OF_BOND_DAYS,
  },
  {
    of: 'the OFR',
    create: ofr,
    days: { ofr_stress_index: SESSIONS.slice(0, -2) },
    newest: { ofr_stress_index: -0.88 },
    requests: 1,
    failures: OF_FILES,
    refused: OF_NUMBERS,
    beside: OF_BOND_DAYS,
  },
  {
    of: 'The Wall Street Journal',
    create: wsj,
    days: {
      ...{ nyse_advances: [TO], nyse_declines: [TO], nyse_unchanged: [TO] },
      ...{ nyse_new_highs: [TO], nyse_new_lows: [TO], nyse_trin: [TO] },
    },
    newest: { nyse_advances: 1339, nyse_declines: 1372, nyse_unchanged: 119 },
    requests: 1,
    refused: [
      ['nulls', 'missing value'],
      ['wrong types', 'number'],
    ],
    beside: [['repeated day', 'duplicate']],
  },
];

describe.each(READS)(
  '$of',
  ({ create, days, newest, requests, failures = {}, refused, beside, path = '' }) => {
    const series = Object.keys(days) as SeriesName[];
    const daysIn = (values: Partial<Record<SeriesName, Record<string, number>>>) =>
      Object.fromEntries(Object.entries(values).map(([name, each]) => [name, Object.keys(each).sort()]));

    it('returns the values of the requested days', async () => {
      const { values, problems } = await read(create(), series);
      expect(daysIn(values)).toEqual(days);
      for (const [name, value] of Object.entries(newest) as [SeriesName, number][])
        expect(values[name]?.[days[name]?.at(-1) ?? '']).toBe(value);
      expect(problems.shown).toEqual([]);
      expect(new Set(stubs.asked().map(({ url }) => url)).size).toBe(requests);
      expect(stubs.asked()).toHaveLength(requests);
    });

    it.each(UNUSABLE)('returns nothing if its response fails with "%s": %s', async (fault, usual) => {
      const failure = failures[fault] === undefined ? usual : failures[fault];
      if (failure !== null) return expect(await fails(create(), series, fault)).toBe(failure);
      stubs.fault(create().name, fault);
      const { values } = await read(create(), series);
      for (const [day, value] of Object.values(values).flatMap((each) => Object.entries(each)))
        expect([day, Number.isFinite(value)]).toEqual([expect.stringMatching(/^2026-11-/), true]);
    });

    it.each(refused)('rejects the newest day with "%s": %s', async (fault, kind) => {
      stubs.fault(create().name, fault, { path });
      const { values, problems } = await read(create(), series);
      const rest = Object.entries(days).flatMap(([name, all]) =>
        all.length > 1 ? [[name, all.slice(0, -1)]] : [],
      );
      expect(daysIn(values)).toEqual(Object.fromEntries(rest));
      expect(problems.refusals()).toMatchObject([{ kind, count: series.length }]);
    });

    it.each(beside)('keeps the days beside a day with "%s": %s', async (fault, kind) => {
      const undisturbed = await read(create(), series);
      stubs.fault(create().name, fault, { path });
      const { values, problems } = await read(create(), series);
      expect(daysIn(values)).toEqual(daysIn(undisturbed.values));
      for (const name of series) expect(values[name]).toMatchObject(undisturbed.values[name] ?? {});
      expect(problems.refusals()).toMatchObject(kind === null ? [] : [{ kind, count: series.length }]);
    });
  },
);

describe('Cboe', () => {
  it.each([
    ['nulls', 'Cboe, VIX_History.csv on 2026-11-20: no value'],
    ['zero price', "Cboe, VIX_History.csv on 2026-11-20: '0.000000' is not between 1 and 200"],
    ['negative price', 'Cboe, VIX_History.csv on 2026-11-20: the high is below the low'],
    ['wrong types', "Cboe, VIX_History.csv on 2026-11-20: 'n/a' is not a number"],
    [
      'unadjusted split',
      "Cboe, VIX_History.csv on 2026-11-20: '4.835000' after 19.32 is an implausible move",
    ],
  ] as const)('names the file, the day and the reason of a refusal: %s', async (fault, message) => {
    stubs.fault('cboe', fault);
    const { problems } = await read(cboe(), ['vix_close']);
    expect(problems.shown).toMatchObject([{ message }]);
  });

  it('returns no ratios without a failure before they are published', async () => {
    clock = Date.parse('2026-11-20T22:30:00Z');
    const { values, failed, problems, calls } = await read(cboe(), ['put_call_total'], { from: TO });
    expect({ values, failed, shown: problems.shown }).toEqual({
      values: {},
      failed: null,
      shown: [],
    });
    expect(calls).toMatchObject({ requests: 1, failures: {} });
  });

  it('sends no more requests after ten consecutive days with status 403', async () => {
    stubs.fault('cboe', '403');
    const context = request(['put_call_total']);
    const outcomes: string[] = [];
    for (const session of sessionsBetween('2026-10-26', TO).reverse()) {
      const reading = cboe().readSeries?.({ ...context, from: session, to: session });
      outcomes.push(
        await Promise.resolve(reading).then(
          () => 'nothing',
          ({ failure }) => failure,
        ),
      );
    }
    expect(outcomes).toEqual([...Array(9).fill('nothing'), ...Array(outcomes.length - 9).fill('refused')]);
    expect(stubs.requests().cboe).toBe(10);
  });

  it('sends no request for days before the first file', async () => {
    const reading = await read(cboe(), ['put_call_total'], { from: '2019-09-30', to: '2019-10-04' });
    expect(reading).toMatchObject({ values: {}, failed: null });
    expect(stubs.requests().cboe).toBe(0);
  });

  it('returns the remaining series if one file fails', async () => {
    stubs.fault('cboe', '404', { path: 'VIX_History' });
    const { values, failed, problems } = await read(cboe());
    expect(failed).toBeNull();
    expect(Object.keys(values).sort()).toEqual(['put_call_equity', 'put_call_total']);
    expect(problems.notes()).toMatchObject([{ kind: 'provider', count: 1 }]);
  });

  it('ignores a last line that ends within a number', async () => {
    const context = request(['vix_close']);
    const url = `${stubs.urls.cboe}/api/global/us_indices/daily_prices/VIX_History.csv`;
    const whole = (await (await fetch(url)).text()).trimEnd();
    const sessionsOf = async (text: string) => {
      const http = { ...context.http, get: async () => ({ status: 200, text }) };
      return [...((await cboe().readSeries?.({ ...context, http }))?.get('vix_close')?.keys() ?? [])];
    };
    expect(await sessionsOf(whole)).toEqual(SESSIONS);
    expect(await sessionsOf(whole.slice(0, -3))).toEqual(SESSIONS.slice(0, -1));
    expect(context.problems.notes()).toMatchObject([{ kind: 'provider', count: 1 }]);
  });
});

it('FRED reports a wrong key without repeating it', async () => {
  for (const key of ['f'.repeat(32), 'My Key']) {
    const { failed, problems } = await read(fred(key), ['treasury_10y_yield']);
    expect(failed).toMatchObject({
      failure: 'refused',
      message: 'FRED refused the request (403); check FRED_API_KEY.',
    });
    expect(JSON.stringify([failed, problems.shown])).not.toContain(key);
  }
});

const HEADER = 'Date,OFR FSI,Credit,Volatility\n2026-11-17,-1.914,-0.401,-0.3\n';
it.each([
  ['is complete, with any number of decimals', '2026-11-18,-1.9,-0.4,-0.315', -1.9],
  ['ends within a number that is not needed', '2026-11-18,-1.907,-0.4', -1.907],
  ['ends within the index', '2026-11-18,-1.9', undefined],
])('OFR without a line break at the end reads a last line that %s', async (_, line, value) => {
  const context = request(['ofr_stress_index']);
  const http = { ...context.http, get: async () => ({ status: 200, text: `${HEADER}${line}` }) };
  const values = (await ofr().readSeries?.({ ...context, http }))?.get('ofr_stress_index');
  expect([values?.get('2026-11-17'), values?.get('2026-11-18')]).toEqual([-1.914, value]);
  expect(context.problems.notes()).toHaveLength(value === undefined ? 1 : 0);
});

it('US Treasury over a new year requests each year with a session once, and none that has just begun', async () => {
  clock = Date.parse('2027-01-04T15:00:00Z');
  const { values, failed } = await read(treasury(), [], { from: '2026-12-28', to: '2027-01-04' });
  expect(failed).toBeNull();
  expect(Object.keys(values.treasury_10y_yield ?? {})).toEqual(sessionsBetween('2026-12-28', '2026-12-31'));
  expect(stubs.requests().treasury).toBe(1);
  clock = Date.parse('2027-01-05T23:00:00Z');
  const later = await read(treasury(), [], { from: '2026-12-28', to: '2027-01-05' });
  expect(Object.keys(later.values.treasury_10y_yield ?? {})).toEqual(
    sessionsBetween('2026-12-28', '2027-01-05'),
  );
  expect(stubs.requests().treasury).toBe(3);
});

describe('The Wall Street Journal', () => {
  it('returns the previous session on request until the new session is published', async () => {
    clock = Date.parse('2026-11-20T21:40:00Z');
    expect((await read(wsj())).values.nyse_advances).toEqual({ '2026-11-19': 1659 });
    expect((await read(wsj(), [], { from: TO })).values.nyse_advances).toBeUndefined();
  });

  it.each([
    ['stale', 'outdated'],
    ['future date', 'outdated'],
    ['no session', 'outdated'],
    ['missing symbol', 'unreadable'],
    ['zero price', 'unreadable'],
    ['absurd value', 'unreadable'],
  ] as const)('rejects the whole diary with "%s": %s', async (fault, failure) => {
    expect(await fails(wsj(), [], fault)).toBe(failure);
  });
});
