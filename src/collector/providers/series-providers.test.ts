import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { type ProviderStubs, STUB_KEYS, startProviderStubs } from '#tests/support/providers/stubs.ts';
import { createProblems } from '../problems.ts';
import { createCboe } from './cboe.ts';
import { createFred } from './fred.ts';
import { createHttpClient } from './http-client.ts';
import { createOfr } from './ofr.ts';
import type { Provider } from './provider.ts';
import { createTreasury } from './treasury.ts';
import { createWsj } from './wsj.ts';

/** A Friday evening, when all providers but FRED have published the day's values. */
const FRIDAY = Date.parse('2026-11-20T23:30:00Z');
const [FROM, TO] = ['2026-11-09', '2026-11-20'];
const SESSIONS = sessionsBetween(FROM, TO);
const KEY = STUB_KEYS.fred;

let stubs: ProviderStubs;
let clock = FRIDAY;
beforeAll(async () => {
  stubs = await startProviderStubs({ members: [], now: () => clock, first: '2024-01-02' });
});
afterAll(() => stubs.close());
beforeEach(() => {
  stubs.reset();
  clock = FRIDAY;
});

const cboe = () => createCboe({ baseUrl: stubs.urls.cboe });
const fred = (apiKey: string = KEY) => createFred({ baseUrl: stubs.urls.fred, apiKey });
const treasury = () => createTreasury({ baseUrl: stubs.urls.treasury });
const ofr = () => createOfr({ baseUrl: stubs.urls.ofr });
const wsj = () => createWsj({ baseUrl: stubs.urls.wsj });

function request(series: readonly SeriesName[], { from = FROM, to = TO, attemptMs = 10_000 } = {}) {
  const http = createHttpClient({
    fetch,
    now: () => clock,
    monotonicNow: () => clock,
    sleep: async () => undefined,
    random: () => 0,
    userAgent: 'Barometer/test',
    signal: new AbortController().signal,
    limits: { attempts: 2, attemptMs, bodyBytes: 2 << 20 },
  });
  return { series, from, to, now: clock, http, problems: createProblems() };
}

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
  ['html', 'unreadable'],
  ['truncated', 'unreadable'],
  ['no body', 'unreadable'],
  ['empty', 'empty'],
  ['wrong shape', 'unreadable'],
  ['gigantic', 'unreadable'],
  ['hangs', 'timeout'],
  ['stalls', 'timeout'],
  ['closes', 'network'],
  ['breaks off', 'network'],
  ['redirect', 'refused'],
  ['401', 'refused'],
  ['403', 'refused'],
  ['404', 'refused'],
  ['429', 'rate limited'],
  ['500', 'server error'],
];

async function fails(
  provider: Provider,
  series: readonly SeriesName[],
  fault: Fault,
  options?: FaultOptions,
) {
  stubs.fault(provider.name, fault, options);
  const silent = fault === 'hangs' || fault === 'stalls';
  const { failed, values } = await read(provider, series, silent ? { attemptMs: 60 } : {});
  expect(values).toEqual({});
  expect(failed?.name).toBe('ProviderError');
  expect(failed?.message).toMatch(/^[A-Z][^\n]*\.$/);
  expect(failed?.message).not.toMatch(/https?:|api_key|127\.0\.0\.1/);
  expect(failed?.message).not.toContain(KEY);
  expect(stubs.asked().filter(({ url }) => url.includes('redirected'))).toEqual([]);
  return failed?.failure;
}

describe('Cboe', () => {
  it('returns VIX closes and both put/call ratios of the requested days', async () => {
    const { values, problems } = await read(cboe());
    expect(Object.keys(values.vix_close ?? {})).toEqual(SESSIONS);
    expect(Object.keys(values.put_call_total ?? {}).sort()).toEqual(SESSIONS);
    expect(Object.keys(values.put_call_equity ?? {}).sort()).toEqual(SESSIONS);
    expect(values.vix_close?.[TO]).toBe(19.34);
    expect(problems.shown).toEqual([]);
    expect(stubs.requests().cboe).toBe(1 + SESSIONS.length);
    expect(new Set(stubs.asked().map(({ url }) => url)).size).toBe(1 + SESSIONS.length);
    expect(new Set(stubs.asked().map(({ userAgent }) => userAgent))).toEqual(new Set(['Barometer/test']));
  });

  it.each(UNUSABLE)('returns no VIX if its file fails with "%s": %s', async (fault, failure) => {
    // Half of a file is still valid CSV: its truncated last line is rejected, and the missing half contains the range.
    if (fault === 'truncated') {
      stubs.fault('cboe', fault);
      const reading = await read(cboe(), ['vix_close']);
      expect(reading.values).toEqual({});
    } else if (fault === 'no body') expect(await fails(cboe(), ['vix_close'], fault)).toBe('empty');
    else expect(await fails(cboe(), ['vix_close'], fault)).toBe(failure);
  });

  it.each(UNUSABLE)('returns no put/call ratio if all days fail with "%s": %s', async (fault, failure) => {
    if (fault === 'empty') {
      stubs.fault('cboe', fault);
      const reading = await read(cboe(), ['put_call_total']);
      expect(reading.values).toEqual({});
      expect(reading.problems.refusals()[0]).toMatchObject({ kind: 'missing value', count: SESSIONS.length });
    } else expect(await fails(cboe(), ['put_call_total', 'put_call_equity'], fault)).toBe(failure);
  });

  it.each([
    ['nulls', 'missing value', 'Cboe, VIX_History.csv on 2026-11-20: no value'],
    ['zero price', 'price', "Cboe, VIX_History.csv on 2026-11-20: '0.000000' is not between 1 and 200"],
    ['negative price', 'high below low', 'Cboe, VIX_History.csv on 2026-11-20: the high is below the low'],
    ['high below low', 'high below low', 'Cboe, VIX_History.csv on 2026-11-20: the high is below the low'],
    ['absurd value', 'price', /is not between 1 and 200$/],
    ['wrong types', 'number', /on 2026-11-20: 'n\/a' is not a number$/],
    ['unadjusted split', 'price', /'4.835000' after 19.32 is an implausible move$/],
  ] as const)('rejects the VIX of a day with "%s"', async (fault, kind, message) => {
    stubs.fault('cboe', fault);
    const reading = await read(cboe(), ['vix_close']);
    expect(Object.keys(reading.values.vix_close ?? {})).toEqual(SESSIONS.slice(0, -1));
    expect(reading.problems.refusals()).toEqual([
      { kind, count: 1, first: [expect.stringMatching(message)] },
    ]);
  });

  it.each([
    ['future date', 'future date'],
    ['repeated day', 'duplicate'],
    ['no session', 'date'],
  ] as const)('keeps the VIX of the days beside a day with "%s"', async (fault, kind) => {
    stubs.fault('cboe', fault);
    const { values, problems } = await read(cboe(), ['vix_close']);
    expect(Object.keys(values.vix_close ?? {})).toEqual(SESSIONS);
    expect(values.vix_close?.[TO]).toBe(19.34);
    expect(problems.refusals()).toMatchObject([{ kind, count: 1 }]);
  });

  it.each([
    ['nulls', 'missing value'],
    ['zero price', 'price'],
    ['absurd value', 'price'],
    ['wrong types', 'number'],
    ['missing symbol', 'missing value'],
  ] as const)('rejects the ratios of a day with "%s"', async (fault, kind) => {
    stubs.fault('cboe', fault, { path: TO });
    const { values, problems } = await read(cboe(), ['put_call_total', 'put_call_equity']);
    expect(Object.keys(values.put_call_total ?? {}).sort()).toEqual(SESSIONS.slice(0, -1));
    expect(Object.keys(values.put_call_equity ?? {}).sort()).toEqual(SESSIONS.slice(0, -1));
    expect(problems.refusals()).toMatchObject([{ kind, count: 2 }]);
  });

  it('keeps the first of two values for a ratio', async () => {
    const undisturbed = await read(cboe(), ['put_call_total']);
    stubs.fault('cboe', 'repeated day', { path: TO });
    const { values, problems } = await read(cboe(), ['put_call_total']);
    expect(values).toEqual(undisturbed.values);
    expect(problems.refusals()).toMatchObject([{ kind: 'duplicate', count: 1 }]);
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
    const whole = await (
      await fetch(`${stubs.urls.cboe}/api/global/us_indices/daily_prices/VIX_History.csv`)
    ).text();
    const http = { ...context.http, get: async () => ({ status: 200, text: whole.trimEnd().slice(0, -3) }) };
    const reading = await cboe().readSeries?.({ ...context, http });
    expect([...(reading?.get('vix_close')?.keys() ?? [])]).toEqual(SESSIONS.slice(0, -1));
    expect(context.problems.notes()).toMatchObject([{ kind: 'provider', count: 1 }]);
    const untrimmed = { ...context.http, get: async () => ({ status: 200, text: whole.trimEnd() }) };
    expect((await cboe().readSeries?.({ ...context, http: untrimmed }))?.get('vix_close')?.size).toBe(
      SESSIONS.length,
    );
  });
});

describe('FRED', () => {
  /**
   * Friday's values are published on Monday. On Veterans Day the stock market is open and the bond market is closed.
   */
  const OUT = SESSIONS.slice(0, -1);
  const OF_BONDS = OUT.filter((session) => session !== '2026-11-11');

  it('omits days without values from rates, spreads and closes', async () => {
    const { values, problems } = await read(fred());
    expect(Object.keys(values.treasury_10y_yield ?? {})).toEqual(OF_BONDS);
    expect(Object.keys(values.high_yield_oas ?? {})).toEqual(OF_BONDS);
    expect(Object.keys(values.investment_grade_oas ?? {})).toEqual(OF_BONDS);
    for (const name of ['sp500_close', 'nasdaq_composite_close', 'dow_jones_close'] as const)
      expect(Object.keys(values[name] ?? {})).toEqual(OUT);
    expect(values.treasury_10y_yield?.['2026-11-10']).toBe(4.14);
    expect(problems.shown).toEqual([]);
    expect(stubs.requests().fred).toBe(6);
  });

  it.each(UNUSABLE)('returns no yield if its response fails with "%s": %s', async (fault, failure) => {
    expect(await fails(fred(), ['treasury_10y_yield'], fault)).toBe(failure);
  });

  it.each([
    ['nulls', 'missing value'],
    ['absurd value', 'price'],
    ['zero price', 'price'],
    ['wrong types', 'number'],
    ['unadjusted split', 'price'],
  ] as const)('rejects the day with "%s"', async (fault, kind) => {
    stubs.fault('fred', fault);
    const { values, problems } = await read(fred(), ['sp500_close', 'high_yield_oas', 'treasury_10y_yield']);
    expect(Object.keys(values.sp500_close ?? {})).toEqual(OUT.slice(0, -1));
    expect(Object.keys(values.high_yield_oas ?? {})).toEqual(OF_BONDS.slice(0, -1));
    expect(Object.keys(values.treasury_10y_yield ?? {})).toEqual(OF_BONDS.slice(0, -1));
    expect(problems.refusals()).toMatchObject([{ kind, count: 3 }]);
  });

  it.each([
    ['future date', 'future date'],
    ['repeated day', 'duplicate'],
  ] as const)('keeps the days beside a day with "%s"', async (fault, kind) => {
    const undisturbed = await read(fred());
    stubs.fault('fred', fault);
    const { values, problems } = await read(fred());
    expect(values).toEqual(undisturbed.values);
    expect(problems.refusals()).toMatchObject([{ kind, count: 6 }]);
  });

  it('ignores a day on which only the bond market is open', async () => {
    stubs.fault('fred', 'no session');
    const { values, problems } = await read(fred(), ['treasury_10y_yield']);
    expect(Object.keys(values.treasury_10y_yield ?? {})).toEqual(OF_BONDS);
    expect(problems.shown).toEqual([]);
  });

  it('reports a wrong key without repeating it', async () => {
    for (const key of ['f'.repeat(32), 'My Key']) {
      const { failed, problems } = await read(fred(key), ['treasury_10y_yield']);
      expect(failed).toMatchObject({
        failure: 'refused',
        message: 'FRED refused the request (403); check FRED_API_KEY.',
      });
      expect(JSON.stringify([failed, problems.shown])).not.toContain(key);
    }
  });

  it('returns the other series if a series fails', async () => {
    stubs.fault('fred', '404', { path: 'BAMLC0A0CM' });
    const { values, failed, problems } = await read(fred());
    expect(failed).toBeNull();
    expect(values.investment_grade_oas).toBeUndefined();
    expect(Object.keys(values)).toHaveLength(5);
    expect(problems.notes()).toMatchObject([{ kind: 'provider', count: 1 }]);
  });
});

describe.each([
  {
    of: 'US Treasury',
    create: treasury,
    series: 'treasury_10y_yield',
    // The bond market is closed on Veterans Day.
    days: SESSIONS.filter((session) => session !== '2026-11-11'),
    newest: 4.11,
    path: '2026/all',
  },
  {
    of: 'OFR',
    create: ofr,
    series: 'ofr_stress_index',
    // Values come two sessions late.
    days: SESSIONS.slice(0, -2),
    newest: -0.88,
    path: 'fsi.csv',
  },
] as const)('$of', ({ create, series, days, newest, path }) => {
  const newestDay = days.at(-1) ?? '';

  it('returns the values of the requested days in one request', async () => {
    const { values, problems } = await read(create());
    expect(Object.keys(values)).toEqual([series]);
    expect(Object.keys(values[series] ?? {})).toEqual(days);
    expect(values[series]?.[newestDay]).toBe(newest);
    expect(problems.shown).toEqual([]);
    expect(stubs.asked().map(({ url }) => url.includes(path))).toEqual([true]);
  });

  it.each(UNUSABLE)('returns no value if its file fails with "%s": %s', async (fault, failure) => {
    // Half of a file is still valid CSV, whose last line is rejected.
    if (fault === 'truncated') {
      stubs.fault(create().name, fault);
      const { values } = await read(create());
      for (const [day, value] of Object.entries(values[series] ?? {}))
        expect([day, Number.isFinite(value)]).toEqual([expect.stringMatching(/^2026-11-/), true]);
    } else if (fault === 'no body') expect(await fails(create(), [series], fault)).toBe('empty');
    else expect(await fails(create(), [series], fault)).toBe(failure);
  });

  it.each([
    ['nulls', 'missing value'],
    ['absurd value', 'price'],
    ['wrong types', 'number'],
  ] as const)('rejects the day with "%s"', async (fault, kind) => {
    stubs.fault(create().name, fault);
    const { values, problems } = await read(create());
    expect(Object.keys(values[series] ?? {})).toEqual(days.slice(0, -1));
    expect(problems.refusals()).toMatchObject([{ kind, count: 1 }]);
  });

  it.each([
    ['future date', 'future date'],
    ['repeated day', 'duplicate'],
  ] as const)('keeps the days beside a day with "%s"', async (fault, kind) => {
    const undisturbed = await read(create());
    stubs.fault(create().name, fault);
    const { values, problems } = await read(create());
    expect(Object.keys(values[series] ?? {})).toEqual(Object.keys(undisturbed.values[series] ?? {}));
    expect(problems.refusals()).toMatchObject([{ kind, count: 1 }]);
  });

  it('ignores a day on which no stocks are traded', async () => {
    stubs.fault(create().name, 'no session');
    const { values, problems } = await read(create());
    expect(Object.keys(values[series] ?? {})).toEqual(days);
    expect(problems.shown).toEqual([]);
  });
});

describe('OFR without a line break at the end', () => {
  const HEADER = 'Date,OFR FSI,Credit,Volatility\n2026-11-17,-1.914,-0.401,-0.3\n';
  it.each([
    ['is complete, with any number of decimals', '2026-11-18,-1.9,-0.4,-0.315', -1.9],
    ['ends within a number that is not needed', '2026-11-18,-1.907,-0.4', -1.907],
    ['ends within the index', '2026-11-18,-1.9', undefined],
  ])('reads a last line that %s', async (_, line, value) => {
    const context = request(['ofr_stress_index']);
    const http = { ...context.http, get: async () => ({ status: 200, text: `${HEADER}${line}` }) };
    const values = (await ofr().readSeries?.({ ...context, http }))?.get('ofr_stress_index');
    expect([values?.get('2026-11-17'), values?.get('2026-11-18')]).toEqual([-1.914, value]);
    expect(context.problems.notes()).toHaveLength(value === undefined ? 1 : 0);
  });
});

describe('US Treasury over a new year', () => {
  it('requests each year with a session once, and none that has just begun', async () => {
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
});

describe('The Wall Street Journal', () => {
  it("returns the exchange's counts and TRIN of the session in its timestamp", async () => {
    const { values, problems } = await read(wsj());
    expect(values).toEqual({
      nyse_advances: { [TO]: 1339 },
      nyse_declines: { [TO]: 1372 },
      nyse_unchanged: { [TO]: 119 },
      nyse_new_highs: { [TO]: expect.any(Number) },
      nyse_new_lows: { [TO]: expect.any(Number) },
      nyse_trin: { [TO]: expect.any(Number) },
    });
    expect(problems.shown).toEqual([]);
    expect(stubs.requests().wsj).toBe(1);
  });

  it('returns the previous session on request until the new session is published', async () => {
    clock = Date.parse('2026-11-20T21:40:00Z');
    expect((await read(wsj())).values.nyse_advances).toEqual({ '2026-11-19': 1659 });
    expect((await read(wsj(), [], { from: TO })).values.nyse_advances).toBeUndefined();
  });

  it.each(UNUSABLE)('returns nothing if its response fails with "%s": %s', async (fault, failure) => {
    expect(await fails(wsj(), ['nyse_advances', 'nyse_trin'], fault)).toBe(failure);
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

  it.each([
    ['nulls', 'missing value'],
    ['wrong types', 'number'],
  ] as const)('rejects every value with "%s"', async (fault, kind) => {
    stubs.fault('wsj', fault);
    const { values, problems } = await read(wsj());
    expect(values).toEqual({});
    expect(problems.refusals()).toMatchObject([{ kind, count: 6 }]);
  });

  it('keeps the first of two values for a count', async () => {
    const undisturbed = await read(wsj());
    stubs.fault('wsj', 'repeated day');
    const { values, problems } = await read(wsj());
    expect(values).toEqual(undisturbed.values);
    expect(problems.refusals()).toMatchObject([{ kind: 'duplicate', count: 6 }]);
  });
});
