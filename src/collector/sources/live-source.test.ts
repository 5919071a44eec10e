import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MarketHistory } from '#domain/market-history.ts';
import { fakeBar, fakeMembers, fakeValue } from '#tests/support/fake-providers.ts';
import { closeIn, type FakeRuns, fakeRuns, type LiveRunResult, valueIn } from '#tests/support/live-runs.ts';

/** Wednesday to Friday; New York is five hours behind. */
const WEDNESDAY = '2024-03-06';
const THURSDAY = '2024-03-07';
const FRIDAY = '2024-03-08';
const CLOSED = '2024-03-07T22:00:00Z';
const OPEN = '2024-03-08T16:00:00Z';
const FINAL = '2024-03-08T21:30:00Z';

/** The first run over ten members, and its stored data. */
let first: LiveRunResult;
let thursday: MarketHistory | null = null;

beforeAll(async () => {
  const runs = fakeRuns();
  first = await runs.run(CLOSED, { job: 'backfill' });
  thursday = runs.stored;
});

function afterThursday(): FakeRuns {
  const runs = fakeRuns();
  runs.stored = thursday;
  return runs;
}

function fingerprint(history: MarketHistory | null): string {
  const hash = createHash('sha256').update(JSON.stringify(history?.sessions));
  for (const field of ['open', 'high', 'low', 'close', 'volume'] as const) {
    hash.update(history?.bars[field] ?? '');
  }
  for (const [name, values] of Object.entries(history?.series ?? {}).sort()) hash.update(name).update(values);
  return hash.digest('hex');
}

describe('the first run', () => {
  it('fetches the history of all members and series part by part, then the newest sessions', () => {
    const { reading, parts, progress } = first;
    expect(reading.observedAt).toBeNull();
    expect(reading.members).toHaveLength(10);
    expect(reading.history.bars.sessions.at(-1)).toBe(THURSDAY);
    // One part with bars, eight with series, 36 with put/call days.
    expect(parts).toHaveLength(1 + 8 + 36);
    expect(parts[0]?.bars.sessions).toHaveLength(1150);
    expect(parts[0]?.bars.sessions.at(-1)).toBe(WEDNESDAY);
    // The S&P 500 is as long as the provider has it, the series after it are not.
    expect(parts[1]?.sessions[0]).toBe('2010-01-04');
    expect(parts[2]?.sessions).toHaveLength(2850);
    expect(parts[9]?.sessions.at(-1)).toBe(WEDNESDAY);
    expect(thursday?.bars.sessions).toHaveLength(1151);
    const fetching = progress.filter(({ stage }) => stage === 'fetching');
    expect(fetching[0]?.done).toBe(0);
    expect(fetching.at(-1)?.done).toBe(fetching.at(-1)?.total);
    expect(fetching.map(({ done }) => done)).toEqual(fetching.map(({ done }) => done).sort((a, b) => a - b));
  });

  it('fetches some older put/call days in each scheduled run and all in a backfill', async () => {
    const runs = fakeRuns();
    const { parts } = await runs.run(CLOSED);
    expect(parts).toHaveLength(1 + 8 + 1);
    const requests = () => runs.requests('cboe').filter((each) => each.includes('put_call'));
    expect(requests()).toEqual([
      'put_call_total,put_call_equity 2024-01-31..2024-03-06',
      'put_call_total,put_call_equity 2024-03-07..2024-03-07',
    ]);
    await runs.run('2024-03-08T01:00:00Z');
    expect(requests()).toEqual([
      'put_call_total,put_call_equity 2023-12-22..2024-01-30',
      'put_call_total,put_call_equity 2024-02-23..2024-03-07',
    ]);
    await runs.run('2024-03-08T02:00:00Z', { job: 'backfill' });
    expect(valueIn(runs.stored, 'put_call_total', '2020-10-01')).not.toBeNaN();
  });

  it('requests a put/call day without data once per session', async () => {
    const runs = fakeRuns();
    runs.providers.cboe.value = (name, session, value) =>
      name !== 'vix_close' && session < '2024-01-02' ? null : value;
    await runs.run(CLOSED);
    await runs.run('2024-03-08T01:00:00Z');
    expect(runs.requests('cboe')).toContain('put_call_total,put_call_equity 2023-12-22..2024-01-30');
    const emptyDays = () =>
      runs.requests('cboe').filter((each) => each.includes('put_call') && each.endsWith('..2023-12-29'));
    await runs.run('2024-03-08T02:00:00Z');
    expect(emptyDays()).toEqual([]);
    await runs.run(FINAL);
    expect(emptyDays()).toHaveLength(1);
  });

  it('continues after a kill and ends with the same history', async () => {
    const members = fakeMembers(60);
    const undisturbed = fakeRuns({ members });
    await undisturbed.run(CLOSED, { job: 'backfill' });
    const killed = fakeRuns({ members });
    await expect(killed.run(CLOSED, { job: 'backfill', parts: 1 })).rejects.toThrow('killed');
    await killed.run(CLOSED, { job: 'backfill' });
    expect(killed.requests('alpaca').filter((each) => each.includes('2019'))).toHaveLength(Math.ceil(10 / 4));
    expect(fingerprint(killed.stored)).toBe(fingerprint(undisturbed.stored));
  });

  it('fetches missing symbols from the fallback and reports unknown symbols', async () => {
    const runs = fakeRuns();
    runs.providers.alpaca.bars = (bar) => (bar.symbol === 'S03' || bar.symbol === 'S04' ? null : bar);
    runs.providers.yahoo.bars = (bar) => (bar.symbol === 'S04' ? null : bar);
    const { reading, notes } = await runs.run(CLOSED);
    expect(closeIn(runs.stored, 'S03', '2020-01-02')).toBe(fakeBar('S03', '2020-01-02').close);
    expect(closeIn(reading.history, 'S03', THURSDAY)).toBe(fakeBar('S03', THURSDAY).close);
    expect(notes('missing symbol')).toEqual([
      'No provider has bars of S04. Check the symbol in the universe file.',
    ]);
    expect(reading.members.map(({ symbol }) => symbol)).toContain('S04');

    const again = await runs.run('2024-03-07T23:00:00Z');
    expect(runs.requests('yahoo').filter((each) => each.startsWith('bars S04'))).toEqual([]);
    expect(again.notes('missing symbol')).toHaveLength(1);
    await runs.run(FINAL);
    expect(runs.requests('yahoo').filter((each) => each.startsWith('bars S04'))).toHaveLength(1);
  });

  it('completes an incomplete history of put/call ratios in the next backfill', async () => {
    const runs = fakeRuns();
    runs.providers.cboe.failing = (input, to) =>
      input !== 'vix_close' && to < '2023-10-01' ? 'server error' : null;
    const { notes } = await runs.run(CLOSED, { job: 'backfill' });
    expect(notes('missing input')).toContainEqual(
      expect.stringMatching(
        /^The history of put call total, put call equity up to 2023-09-\d\d is incomplete\. /,
      ),
    );
    expect(valueIn(runs.stored, 'put_call_total', '2023-10-02')).not.toBeNaN();
    runs.providers.cboe.failing = () => null;
    await runs.run(CLOSED, { job: 'backfill' });
    const again = runs.requests('cboe').filter((each) => each.startsWith('put_call'));
    expect(again.every((each) => each < 'put_call_total,put_call_equity 2023-10')).toBe(true);
    expect(valueIn(runs.stored, 'put_call_total', '2020-10-01')).not.toBeNaN();
  });

  it('requests unknown symbols again if the provider knew almost no symbol', async () => {
    const runs = fakeRuns({ only: ['yahoo'] });
    runs.providers.yahoo.bars = () => null;
    await expect(runs.run(CLOSED)).rejects.toThrow('No provider returned a bar of any company');
    runs.providers.yahoo.bars = (bar) => bar;
    const { reading } = await runs.run('2024-03-07T22:10:00Z');
    expect(closeIn(reading.history, 'S00', THURSDAY)).toBe(fakeBar('S00', THURSDAY).close);
  });

  it('fails if the history of too many members failed, but stores the others', async () => {
    const runs = fakeRuns();
    runs.providers.alpaca.failing = (input, of) =>
      input === 'bars' && !of.includes('S00') ? 'server error' : null;
    runs.providers.yahoo.failing = (input) => (input === 'bars' ? 'refused' : null);
    await expect(runs.run(CLOSED)).rejects.toThrow('The history of 6 of 10 symbols could not be fetched');
    expect(runs.stored?.bars.members).toHaveLength(4);
  });
});

describe('an open session', () => {
  it('is fetched up to the time of its bars, only from providers of current values', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.observedAt = (now) => now - 16 * 60_000;
    runs.respondedAt = Date.parse(OPEN) + 4_000;
    const { reading } = await runs.run(OPEN);
    expect(reading.observedAt).toBe(Date.parse(OPEN) - 16 * 60_000);
    expect(reading.history.sessions.at(-1)).toBe(FRIDAY);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
    for (const name of ['sp500_close', 'vix_close'] as const)
      expect(valueIn(reading.history, name, FRIDAY)).toBe(fakeValue(name, FRIDAY));
    expect(valueIn(reading.history, 'tick_proxy', FRIDAY)).toBe(2800);
    expect(valueIn(reading.history, 'high_yield_oas', FRIDAY)).toBeNaN();
    for (const name of ['cboe', 'fred'] as const)
      expect(runs.requests(name).every((each) => each.endsWith(THURSDAY))).toBe(true);
    expect(runs.requests('alpaca').at(-1)).toBe('minutes 10 2024-03-08T15:44:00.000Z');
    expect(runs.stored?.sessions.at(-1)).toBe(THURSDAY);
    expect(reading.originsOf?.(FRIDAY)).toContainEqual({
      input: 'vix_close',
      provider: 'yahoo',
      session: FRIDAY,
      observedAt: Date.parse(OPEN),
      fetchedAt: Date.parse(OPEN) + 4_000,
    });
  });

  it.each([
    ['2024-03-08', '2024-03-08T21:10:00Z', '2024-03-08T20:59:00Z'],
    ['2023-11-24', '2023-11-24T18:29:59Z', '2023-11-24T17:59:00Z'],
  ])('stays open after the bell of %s until its values are settled', async (session, now, observedAt) => {
    const { reading } = await fakeRuns().run(now);
    expect(reading.history.sessions.at(-1)).toBe(session);
    expect(reading.observedAt).toBe(Date.parse(observedAt));
  });
});

describe('a provider that fails', () => {
  it('loses only its own inputs and is named', async () => {
    const runs = afterThursday();
    for (const name of ['cboe', 'fred', 'wsj'] as const) runs.providers[name].failing = () => 'server error';
    const { reading, notes } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S09', FRIDAY)).toBe(fakeBar('S09', FRIDAY).close);
    expect(valueIn(reading.history, 'vix_close', FRIDAY)).toBe(fakeValue('vix_close', FRIDAY));
    expect(valueIn(reading.history, 'treasury_10y_yield', FRIDAY)).toBeNaN();
    expect(notes('provider').join(' ')).toContain('treasury 10y yield: FRED returned nothing.');
    expect(notes('provider').join(' ')).toContain('put call total, put call equity of 2024-03-08: CBOE');
  });

  it('is replaced by the fallback for the missing session', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.failing = () => 'timeout';
    runs.providers.yahoo.bars = (bar) => ({ ...bar, close: bar.close + 0.5 });
    const { reading } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close + 0.5);
    expect(closeIn(runs.stored, 'S00', THURSDAY)).toBe(fakeBar('S00', THURSDAY).close);
    const origins = new Map(reading.originsOf?.(FRIDAY).map((origin) => [origin.input, origin]));
    expect(origins.get('bars')).toMatchObject({ provider: 'yahoo', session: FRIDAY });
    expect(origins.get('tick_proxy')).toMatchObject({ provider: null, session: THURSDAY, fetchedAt: null });

    // A few bars that fill gaps among stored ones do not make their provider the origin.
    runs.providers.yahoo.failing = () => 'timeout';
    const third = await runs.run('2024-03-08T22:00:00Z');
    expect(third.reading.originsOf?.(FRIDAY)[0]).toMatchObject({ provider: null, session: FRIDAY });
    runs.providers.yahoo.failing = () => null;

    // Once the first provider is back, its bars replace those of the fallback.
    runs.providers.alpaca.failing = () => null;
    await runs.run('2024-03-09T01:00:00Z');
    expect(closeIn(runs.stored, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
  });

  it('gets no more requests for a topic after three failures', async () => {
    const runs = fakeRuns({ members: fakeMembers(30), only: ['yahoo'] });
    await runs.run(CLOSED);
    runs.providers.yahoo.failing = (input) => (input === 'bars' ? 'unreadable' : null);
    await expect(runs.run(FINAL)).rejects.toThrow('Only 0 of 30 symbols have a bar of 2024-03-08');
    expect(runs.providers.yahoo.requests.filter((each) => each.startsWith('bars'))).toHaveLength(3);
    expect(runs.providers.yahoo.requests.filter((each) => each.startsWith('dow'))).toHaveLength(1);
  });

  it('fails the run if all others fail too, although the stored bars cover the session', async () => {
    const runs = afterThursday();
    for (const provider of Object.values(runs.providers)) provider.failing = () => 'network';
    await expect(runs.run('2024-03-08T01:00:00Z')).rejects.toThrow('No provider returned data');
  });

  it('loses only its own inputs after a programming error', async () => {
    const runs = afterThursday();
    runs.providers.wsj.value = () => {
      throw new TypeError('secret?apikey=1');
    };
    const { notes } = await runs.run(FINAL);
    expect(notes('provider').join(' ')).toContain('WSJ could not be read. The next run retries.');
    expect(notes('provider').join(' ')).not.toContain('secret');
  });
});

describe('providers', () => {
  it('get requests at the same time', async () => {
    const runs = afterThursday();
    const { alpaca, ...others } = runs.providers;
    const requested = (['yahoo', 'cboe', 'fred', 'wsj'] as const).map(
      (name) =>
        new Promise<void>((resolve) => {
          others[name].failing = () => {
            resolve();
            return null;
          };
        }),
    );
    const readBars = alpaca.readBars;
    alpaca.readBars = async (request) => {
      await Promise.all(requested);
      return readBars?.(request) ?? { bars: [], observedAt: 0 };
    };
    const { reading } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
  });

  it('get one request at a time each', async () => {
    const runs = afterThursday();
    let under = 0;
    let most = 0;
    const { yahoo } = runs.providers;
    const readSeries = yahoo.readSeries;
    yahoo.readSeries = async (request) => {
      under += 1;
      most = Math.max(most, under);
      await new Promise(setImmediate);
      under -= 1;
      return readSeries?.(request) ?? new Map();
    };
    await runs.run(FINAL);
    expect(runs.requests('yahoo').length).toBeGreaterThan(2);
    expect(most).toBe(1);
  });
});

describe('stored data', () => {
  it('is corrected by the preferred provider in the last ten sessions only', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.bars = (bar) =>
      bar.session === WEDNESDAY || bar.session === '2024-02-20'
        ? { ...bar, close: bar.close + (bar.session === WEDNESDAY ? 1 : -1) }
        : bar;
    runs.providers.fred.value = (_, session, value) => (session === WEDNESDAY ? value + 0.01 : value);
    runs.providers.cboe.value = runs.providers.fred.value;
    const { notes } = await runs.run(FINAL);
    const { stored } = runs;
    expect(closeIn(stored, 'S00', WEDNESDAY)).toBe(fakeBar('S00', WEDNESDAY).close + 1);
    expect(closeIn(stored, 'S00', '2024-02-20')).toBe(fakeBar('S00', '2024-02-20').close);
    for (const name of ['high_yield_oas', 'put_call_total'] as const)
      expect(valueIn(stored, name, WEDNESDAY)).toBeCloseTo(fakeValue(name, WEDNESDAY) + 0.01);
    expect(notes('correction')[0]).toContain(
      'ALPACA has a close of 101.25 for S00 on 2024-02-20. The stored close of 102.25 stays.',
    );
  });

  it('is replaced by the full history after a split', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.bars = (bar) =>
      bar.symbol === 'S05' ? { ...bar, close: bar.close / 2, low: bar.low / 2 } : bar;
    const { reading, notes } = await runs.run(FINAL);
    expect(reading.replaced).toEqual(['S05']);
    expect(closeIn(reading.history, 'S05', '2020-01-02')).toBe(fakeBar('S05', '2020-01-02').close / 2);
    expect(closeIn(reading.history, 'S04', '2020-01-02')).toBeNaN();
    expect(notes('readjusted')).toEqual([
      'ALPACA has readjusted the history of S05; its full history was fetched again.',
    ]);
    expect(runs.requests('alpaca').filter((each) => each.startsWith('bars S05 2019'))).toHaveLength(1);
    expect((await runs.run('2024-03-09T01:00:00Z')).reading.replaced).toEqual([]);
  });

  it('is left out of the run if the readjusted history is incomplete', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.bars = (bar) =>
      bar.symbol !== 'S05'
        ? bar
        : bar.session < '2024-01-01'
          ? null
          : { ...bar, close: bar.close * 0.9, low: bar.low * 0.9 };
    const { reading, notes } = await runs.run(FINAL);
    expect(reading.replaced).toEqual([]);
    expect(closeIn(runs.stored, 'S05', WEDNESDAY)).toBe(fakeBar('S05', WEDNESDAY).close);
    expect(closeIn(reading.history, 'S05', FRIDAY)).toBeNaN();
    expect(notes('provider')[0]).toContain('on only 46 of the 1149 stored sessions');
  });

  it('is not extended by a fallback whose prices have another scale', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.failing = () => 'timeout';
    runs.providers.yahoo.bars = (bar) =>
      bar.symbol === 'S05' ? { ...bar, close: bar.close / 1.5, low: bar.low / 1.5 } : bar;
    const { reading, notes } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S04', FRIDAY)).toBe(fakeBar('S04', FRIDAY).close);
    expect(closeIn(reading.history, 'S05', FRIDAY)).toBeNaN();
    expect(notes('readjusted')).toEqual([
      'YAHOO has prices of S05 on another scale. This run leaves the symbol out.',
    ]);
  });

  it('is replaced by the full history after a dividend of the fund', async () => {
    const runs = afterThursday();
    runs.providers.alpaca.value = (_, session, value) => (session < FRIDAY ? value * 0.997 : value);
    await runs.run(FINAL);
    expect(valueIn(runs.stored, 'treasury_fund_close', '2016-01-04')).toBeCloseTo(
      fakeValue('treasury_fund_close', '2016-01-04') * 0.997,
      10,
    );
  });

  it('is completed without a gap after an outage of weeks', async () => {
    const runs = fakeRuns();
    await runs.run('2024-01-31T22:00:00Z');
    const { parts } = await runs.run(FINAL);
    expect(parts).toHaveLength(1 + 8 + 1);
    const { stored } = runs;
    const sessions = stored?.bars.sessions.slice(-1150) ?? [];
    const missing = sessions.filter((session) => Number.isNaN(closeIn(stored, 'S00', session)));
    expect(missing).toEqual([]);
    expect(sessions.filter((session) => session > '2024-01-31')).toHaveLength(26);
    expect(valueIn(stored, 'treasury_10y_yield', '2024-02-14')).toBe(
      fakeValue('treasury_10y_yield', '2024-02-14'),
    );
  });

  it('is completed by a later run with values that are published late', async () => {
    const runs = afterThursday();
    runs.providers.fred.value = (_, session, value) => (session > THURSDAY ? null : value);
    runs.providers.cboe.value = (name, session, value) =>
      name !== 'vix_close' && session > THURSDAY ? null : value;
    const early = await runs.run(FINAL);
    expect(valueIn(early.reading.history, 'high_yield_oas', FRIDAY)).toBeNaN();
    runs.providers.fred.value = (_, __, value) => value;
    runs.providers.cboe.value = (_, __, value) => value;
    const { reading } = await runs.run('2024-03-09T01:00:00Z');
    for (const name of ['high_yield_oas', 'put_call_total'] as const)
      expect(valueIn(reading.history, name, FRIDAY)).toBe(fakeValue(name, FRIDAY));
    expect(runs.requests('cboe')).toContain('put_call_total,put_call_equity 2024-03-08..2024-03-08');
  });
});

it('a session that repeats the one before is ignored and fetched from the fallback', async () => {
  const runs = afterThursday();
  runs.providers.alpaca.bars = (bar) =>
    bar.session === FRIDAY ? { ...fakeBar(bar.symbol, THURSDAY), session: FRIDAY } : bar;
  const { reading, notes } = await runs.run(FINAL);
  expect(closeIn(reading.history, 'S02', FRIDAY)).toBe(fakeBar('S02', FRIDAY).close);
  expect(reading.originsOf?.(FRIDAY)[0]).toMatchObject({ input: 'bars', provider: 'yahoo' });
  expect(notes('provider')[0]).toBe(
    'ALPACA repeats the bars of 2024-03-07 for 2024-03-08. The repeated bars are ignored.',
  );
});

describe('the run', () => {
  it('fails at its deadline', async () => {
    const runs = afterThursday();
    const ending = new AbortController();
    runs.providers.fred.failing = () => {
      ending.abort(new Error('deadline'));
      return 'timeout';
    };
    await expect(runs.run(FINAL, { signal: ending.signal })).rejects.toThrow(
      'The run ended before all providers responded. The next run continues.',
    );
  });

  it('follows a changed universe and backfills new members', async () => {
    const runs = afterThursday();
    runs.members = [...fakeMembers(10).slice(2), { symbol: 'NEW', name: 'New', sector: 'Materials' }];
    const { reading, parts } = await runs.run(FINAL);
    expect(parts.map(({ bars }) => bars.members.map(({ symbol }) => symbol))).toEqual([['NEW']]);
    expect(reading.members).toHaveLength(9);
    expect(reading.history.bars.members.map(({ symbol }) => symbol)).not.toContain('S00');
    expect(closeIn(reading.history, 'NEW', FRIDAY)).toBe(fakeBar('NEW', FRIDAY).close);
  });

  it('fails with one sentence while the universe is unreadable', async () => {
    const runs = afterThursday();
    const { members } = runs;
    runs.members = null;
    await expect(runs.run(FINAL)).rejects.toThrow('members.csv has no column sector; put it there.');
    expect(runs.providers.alpaca.requests).toEqual([]);
    runs.members = members;
    expect((await runs.run(FINAL)).reading.members).toHaveLength(10);
  });

  it('works without a key for Alpaca and FRED', async () => {
    const { reading } = await fakeRuns({ only: ['yahoo', 'cboe', 'wsj'] }).run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
    expect(valueIn(reading.history, 'treasury_fund_close', FRIDAY)).toBe(
      fakeValue('treasury_fund_close', FRIDAY),
    );
    const origins = new Map(reading.originsOf?.(FRIDAY).map((origin) => [origin.input, origin]));
    expect(origins.get('high_yield_oas')).toMatchObject({ provider: null, session: null });
    expect(origins.get('bars')).toMatchObject({ provider: 'yahoo', session: FRIDAY });
  });
});
