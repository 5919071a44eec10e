import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MarketHistory } from '#domain/market-history.ts';
import { fakeBar, fakeMembers, fakeValue } from '#tests/support/fake-providers.ts';
import { closeIn, type FakeRuns, fakeRuns, type LiveRunResult, valueIn } from '#tests/support/live-runs.ts';

/** Wednesday to Friday; New York is five hours behind. */
const WEDNESDAY = '2024-03-06';
const THURSDAY = '2024-03-07';
const FRIDAY = '2024-03-08';
const MONDAY = '2024-03-11';
const CLOSED = '2024-03-07T22:00:00Z';
const OPEN = '2024-03-08T16:00:00Z';
const FINAL = '2024-03-08T21:30:00Z';
const FINAL_OF_MONDAY = '2024-03-11T20:30:00Z';

/** The first run of the ten members, and what it has kept. */
let first: LiveRunResult;
let thursday: MarketHistory | null = null;

beforeAll(async () => {
  const runs = fakeRuns();
  first = await runs.run(CLOSED, { job: 'backfill' });
  thursday = runs.held;
});

function settled(): FakeRuns {
  const runs = fakeRuns();
  runs.held = thursday;
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
  it('fetches the past of all members and series part by part, then the newest sessions', () => {
    const { reading, parts, progress } = first;
    expect(reading.observedAt).toBeNull();
    expect(reading.members).toHaveLength(10);
    expect(reading.history.bars.sessions.at(-1)).toBe(THURSDAY);
    // One part of bars, eight series, 36 of put/call days.
    expect(parts).toHaveLength(1 + 8 + 36);
    expect(parts[0]?.bars.sessions).toHaveLength(1150);
    expect(parts[0]?.bars.sessions.at(-1)).toBe(WEDNESDAY);
    expect(parts[1]?.sessions).toHaveLength(2850);
    expect(parts[9]?.sessions.at(-1)).toBe(WEDNESDAY);
    expect(thursday?.bars.sessions).toHaveLength(1151);
    const fetching = progress.filter(({ stage }) => stage === 'fetching');
    expect(fetching[0]?.done).toBe(0);
    expect(fetching.at(-1)?.done).toBe(fetching.at(-1)?.total);
    expect(fetching.map(({ done }) => done)).toEqual(fetching.map(({ done }) => done).sort((a, b) => a - b));
  });

  it('takes some put/call days of long ago with each run of the schedule, and the rest in a backfill', async () => {
    const runs = fakeRuns();
    const { parts } = await runs.run(CLOSED);
    expect(parts).toHaveLength(1 + 8 + 1);
    const asked = () => runs.asked('cboe').filter((each) => each.includes('put_call'));
    expect(asked()).toEqual([
      'put_call_total,put_call_equity 2024-01-31..2024-03-06',
      'put_call_total,put_call_equity 2024-03-07..2024-03-07',
    ]);
    await runs.run('2024-03-08T01:00:00Z');
    expect(asked()).toEqual([
      'put_call_total,put_call_equity 2023-12-22..2024-01-30',
      'put_call_total,put_call_equity 2024-02-23..2024-03-07',
    ]);
    await runs.run('2024-03-08T02:00:00Z', { job: 'backfill' });
    expect(valueIn(runs.held, 'put_call_total', '2020-10-01')).not.toBeNaN();
  });

  it('asks for a put/call day that has nothing once a session', async () => {
    const runs = fakeRuns();
    runs.providers.cboe.value = (name, session, value) =>
      name !== 'vix_close' && session < '2024-01-02' ? null : value;
    await runs.run(CLOSED);
    await runs.run('2024-03-08T01:00:00Z');
    expect(runs.asked('cboe')).toContain('put_call_total,put_call_equity 2023-12-22..2024-01-30');
    const emptyDays = () =>
      runs.asked('cboe').filter((each) => each.includes('put_call') && each.endsWith('..2023-12-29'));
    await runs.run('2024-03-08T02:00:00Z');
    expect(emptyDays()).toEqual([]);
    await runs.run(FINAL);
    expect(emptyDays()).toHaveLength(1);
  });

  it('goes on where it was killed, to the same history', async () => {
    const members = fakeMembers(60);
    const whole = fakeRuns({ members });
    await whole.run(CLOSED, { job: 'backfill' });
    const killed = fakeRuns({ members });
    await expect(killed.run(CLOSED, { job: 'backfill', parts: 1 })).rejects.toThrow('killed');
    await killed.run(CLOSED, { job: 'backfill' });
    expect(killed.asked('alpaca').filter((each) => each.includes('2019'))).toHaveLength(Math.ceil(10 / 4));
    expect(fingerprint(killed.held)).toBe(fingerprint(whole.held));
  });

  it('takes from the fallback what the first choice has nothing of, and reports who nobody knows', async () => {
    const runs = fakeRuns();
    runs.providers.alpaca.bars = (bar) => (bar.symbol === 'S03' || bar.symbol === 'S04' ? null : bar);
    runs.providers.yahoo.bars = (bar) => (bar.symbol === 'S04' ? null : bar);
    const { reading, notes } = await runs.run(CLOSED);
    expect(closeIn(runs.held, 'S03', '2020-01-02')).toBe(fakeBar('S03', '2020-01-02').close);
    expect(closeIn(reading.history, 'S03', THURSDAY)).toBe(fakeBar('S03', THURSDAY).close);
    expect(notes('missing symbol')).toEqual(['No provider has bars of S04; check it in the universe.']);
    expect(reading.members.map(({ symbol }) => symbol)).toContain('S04');

    const again = await runs.run('2024-03-07T23:00:00Z');
    expect(runs.asked('yahoo').filter((each) => each.startsWith('bars S04'))).toEqual([]);
    expect(again.notes('missing symbol')).toHaveLength(1);
    await runs.run(FINAL);
    expect(runs.asked('yahoo').filter((each) => each.startsWith('bars S04'))).toHaveLength(1);
  });

  it('says when the past of put/call ratios is not all there, and asks for the rest in the next backfill', async () => {
    const runs = fakeRuns();
    runs.providers.cboe.failing = (input, to) =>
      input !== 'vix_close' && to < '2023-10-01' ? 'server error' : null;
    const { notes } = await runs.run(CLOSED, { job: 'backfill' });
    expect(notes('missing input')).toContainEqual(
      expect.stringMatching(
        /^The past of put call total, put call equity up to 2023-09-\d\d is not all there; /,
      ),
    );
    expect(valueIn(runs.held, 'put_call_total', '2023-10-02')).not.toBeNaN();
    runs.providers.cboe.failing = () => null;
    await runs.run(CLOSED, { job: 'backfill' });
    const again = runs.asked('cboe').filter((each) => each.startsWith('put_call'));
    expect(again.every((each) => each < 'put_call_total,put_call_equity 2023-10')).toBe(true);
    expect(valueIn(runs.held, 'put_call_total', '2020-10-01')).not.toBeNaN();
  });

  it('doubts a provider that knows nearly nobody, and asks it again', async () => {
    const runs = fakeRuns({ only: ['yahoo'] });
    runs.providers.yahoo.bars = () => null;
    await expect(runs.run(CLOSED)).rejects.toThrow('No provider has any bar of the members');
    runs.providers.yahoo.bars = (bar) => bar;
    const { reading } = await runs.run('2024-03-07T22:10:00Z');
    expect(closeIn(reading.history, 'S00', THURSDAY)).toBe(fakeBar('S00', THURSDAY).close);
  });

  it('fails when the past of too many could not be read, and keeps what was', async () => {
    const runs = fakeRuns();
    runs.providers.alpaca.failing = (input, of) =>
      input === 'bars' && !of.includes('S00') ? 'server error' : null;
    runs.providers.yahoo.failing = (input) => (input === 'bars' ? 'refused' : null);
    await expect(runs.run(CLOSED)).rejects.toThrow('The past of 6 of 10 symbols could not be read');
    expect(runs.held?.bars.members).toHaveLength(4);
  });
});

describe('a session under way', () => {
  it('is read as of the instant its bars reach, and only from who gives such values', async () => {
    const runs = settled();
    runs.providers.alpaca.observedAt = (now) => now - 16 * 60_000;
    runs.answeredAt = Date.parse(OPEN) + 4_000;
    const { reading } = await runs.run(OPEN);
    expect(reading.observedAt).toBe(Date.parse(OPEN) - 16 * 60_000);
    expect(reading.history.sessions.at(-1)).toBe(FRIDAY);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
    expect(valueIn(reading.history, 'sp500_close', FRIDAY)).toBe(fakeValue('sp500_close', FRIDAY));
    expect(valueIn(reading.history, 'vix_close', FRIDAY)).toBe(fakeValue('vix_close', FRIDAY));
    expect(valueIn(reading.history, 'tick_proxy', FRIDAY)).toBe(2800);
    expect(valueIn(reading.history, 'high_yield_oas', FRIDAY)).toBeNaN();
    expect(runs.asked('cboe').every((each) => each.endsWith(THURSDAY))).toBe(true);
    expect(runs.asked('fred').every((each) => each.endsWith(THURSDAY))).toBe(true);
    expect(runs.asked('alpaca').at(-1)).toBe('minutes 10 2024-03-08T15:44:00.000Z');
    expect(runs.held?.sessions.at(-1)).toBe(THURSDAY);
    expect(reading.originsOf?.(FRIDAY)).toContainEqual({
      input: 'vix_close',
      provider: 'yahoo',
      session: FRIDAY,
      observedAt: Date.parse(OPEN),
      fetchedAt: Date.parse(OPEN) + 4_000,
    });
  });

  it.each([
    ['ten minutes after the bell', '2024-03-08T21:10:00Z'],
    ['on a half-day, half an hour after 13:00', '2023-11-24T18:29:59Z'],
  ])('is under way until its figures are final: %s', async (_, now) => {
    const { reading } = await fakeRuns().run(now);
    const session = now.slice(0, 10);
    const close = session === FRIDAY ? '2024-03-08T21:00:00Z' : '2023-11-24T18:00:00Z';
    expect(reading.history.sessions.at(-1)).toBe(session);
    expect(reading.observedAt).toBe(Date.parse(close) - 60_000);
  });

  it('does not count before a delayed feed has it', async () => {
    const { reading } = await settled().run('2024-03-08T14:40:00Z');
    expect(reading.history.sessions.at(-1)).toBe(THURSDAY);
    expect(reading.observedAt).toBeNull();
  });

  it('is closed half an hour after the bell', async () => {
    const { reading } = await settled().run(FINAL);
    expect(reading.observedAt).toBeNull();
    expect(reading.history.sessions.at(-1)).toBe(FRIDAY);
  });
});

describe('a provider that fails', () => {
  it('costs its inputs only, and is named', async () => {
    const runs = settled();
    for (const name of ['cboe', 'fred', 'wsj'] as const) runs.providers[name].failing = () => 'server error';
    const { reading, notes } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S09', FRIDAY)).toBe(fakeBar('S09', FRIDAY).close);
    expect(valueIn(reading.history, 'vix_close', FRIDAY)).toBe(fakeValue('vix_close', FRIDAY));
    expect(valueIn(reading.history, 'treasury_10y_yield', FRIDAY)).toBeNaN();
    expect(notes('provider').join(' ')).toContain('treasury 10y yield: FRED gave nothing.');
    expect(notes('provider').join(' ')).toContain('put call total, put call equity of 2024-03-08: CBOE');
  });

  it('is replaced for the session that is missing, and its own past stays', async () => {
    const runs = settled();
    runs.providers.alpaca.failing = () => 'timeout';
    runs.providers.yahoo.bars = (bar) => ({ ...bar, close: bar.close + 0.5 });
    const { reading } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close + 0.5);
    expect(closeIn(runs.held, 'S00', THURSDAY)).toBe(fakeBar('S00', THURSDAY).close);
    const origins = new Map(reading.originsOf?.(FRIDAY).map((origin) => [origin.input, origin]));
    expect(origins.get('bars')).toMatchObject({ provider: 'yahoo', session: FRIDAY });
    expect(origins.get('tick_proxy')).toMatchObject({ provider: null, session: THURSDAY, fetchedAt: null });

    // A few bars filled in beside those held are not where bars come from.
    runs.providers.yahoo.failing = () => 'timeout';
    const third = await runs.run('2024-03-08T22:00:00Z');
    expect(third.reading.originsOf?.(FRIDAY)[0]).toMatchObject({ provider: null, session: FRIDAY });
    runs.providers.yahoo.failing = () => null;

    // Once the first choice is back, its figures replace the fallback's.
    runs.providers.alpaca.failing = () => null;
    await runs.run('2024-03-09T01:00:00Z');
    expect(closeIn(runs.held, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
  });

  it('is not asked again for what it keeps failing at, but for everything else', async () => {
    const runs = fakeRuns({ members: fakeMembers(30), only: ['yahoo'] });
    await runs.run(CLOSED);
    runs.providers.yahoo.failing = (input) => (input === 'bars' ? 'unreadable' : null);
    await expect(runs.run(FINAL)).rejects.toThrow('Only 0 of 30 symbols have a bar of 2024-03-08');
    expect(runs.providers.yahoo.asked.filter((each) => each.startsWith('bars'))).toHaveLength(3);
    expect(runs.providers.yahoo.asked.filter((each) => each.startsWith('dow'))).toHaveLength(1);
  });

  it('fails the run when it is like all others, though everything is held', async () => {
    const runs = settled();
    for (const provider of Object.values(runs.providers)) provider.failing = () => 'network';
    await expect(runs.run('2024-03-08T01:00:00Z')).rejects.toThrow('No provider gave anything');
  });

  it('with an error of its own code costs no more than that', async () => {
    const runs = settled();
    runs.providers.wsj.value = () => {
      throw new TypeError('secret?apikey=1');
    };
    const { notes } = await runs.run(FINAL);
    expect(notes('provider').join(' ')).toContain('WSJ could not be read.');
    expect(notes('provider').join(' ')).not.toContain('secret');
  });
});

describe('providers', () => {
  it('are asked at the same time, so that a slow one holds nobody up', async () => {
    const runs = settled();
    let others = 0;
    let go = () => {};
    const allOthers = new Promise<void>((resolve) => {
      go = resolve;
    });
    const readBars = runs.providers.alpaca.readBars;
    runs.providers.alpaca.readBars = async (request) => {
      await allOthers;
      return readBars?.(request) ?? { bars: [], observedAt: 0 };
    };
    for (const [name, questions] of [
      ['yahoo', 3],
      ['cboe', 2],
      ['fred', 3],
      ['wsj', 1],
    ] as const) {
      let answered = 0;
      runs.providers[name].failing = () => {
        answered += 1;
        if (answered === questions) others += 1;
        if (others === 4) go();
        return null;
      };
    }
    const { reading } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBe(fakeBar('S00', FRIDAY).close);
  });

  it('are asked one question after another each', async () => {
    const runs = settled();
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
    expect(runs.asked('yahoo').length).toBeGreaterThan(2);
    expect(most).toBe(1);
  });
});

describe('coverage', () => {
  it('is measured against those that had a bar of the session before', async () => {
    const runs = settled();
    const without = (count: number) => {
      for (const name of ['alpaca', 'yahoo'] as const) {
        runs.providers[name].bars = (bar) =>
          bar.session === FRIDAY && Number(bar.symbol.slice(1)) < count ? null : bar;
      }
    };
    without(2);
    await expect(runs.run(FINAL)).rejects.toThrow(
      'Only 8 of 10 symbols have a bar of 2024-03-08; the last rows stay, and the next run asks again.',
    );
    without(1);
    const { reading } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S00', FRIDAY)).toBeNaN();
  });

  it('does not expect those that ceased to trade', async () => {
    const runs = settled();
    const gone = (symbol: string) => Number(symbol.slice(1)) < 4;
    for (const name of ['alpaca', 'yahoo'] as const) {
      runs.providers[name].bars = (bar) => (bar.session > THURSDAY && gone(bar.symbol) ? null : bar);
    }
    await expect(runs.run(FINAL)).rejects.toThrow('Only 6 of 10');
    const { reading } = await runs.run(FINAL_OF_MONDAY);
    expect(reading.history.bars.sessions.at(-1)).toBe(MONDAY);
  });

  it('passes over a day on which nothing was traded at all', async () => {
    const runs = settled();
    for (const name of ['alpaca', 'yahoo'] as const) {
      runs.providers[name].bars = (bar) => (bar.session === FRIDAY ? null : bar);
    }
    await expect(runs.run(FINAL)).rejects.toThrow('Only 0 of 10');
    const { reading } = await runs.run(FINAL_OF_MONDAY);
    expect(reading.history.bars.sessions.slice(-2)).toEqual([THURSDAY, MONDAY]);
  });
});

describe('what is held', () => {
  it('is corrected by the first choice within ten sessions, and stands before', async () => {
    const runs = settled();
    runs.providers.alpaca.bars = (bar) =>
      bar.session === WEDNESDAY || bar.session === '2024-02-20'
        ? { ...bar, close: bar.close + (bar.session === WEDNESDAY ? 1 : -1) }
        : bar;
    runs.providers.fred.value = (_, session, value) => (session === WEDNESDAY ? value + 0.01 : value);
    runs.providers.cboe.value = runs.providers.fred.value;
    const { notes } = await runs.run(FINAL);
    const held = runs.held;
    expect(closeIn(held, 'S00', WEDNESDAY)).toBe(fakeBar('S00', WEDNESDAY).close + 1);
    expect(closeIn(held, 'S00', '2024-02-20')).toBe(fakeBar('S00', '2024-02-20').close);
    expect(valueIn(held, 'high_yield_oas', WEDNESDAY)).toBeCloseTo(
      fakeValue('high_yield_oas', WEDNESDAY) + 0.01,
    );
    expect(valueIn(held, 'put_call_total', WEDNESDAY)).toBeCloseTo(
      fakeValue('put_call_total', WEDNESDAY) + 0.01,
    );
    expect(notes('correction')[0]).toContain(
      'ALPACA gives S00 a close of 101.25 on 2024-02-20, 102.25 is held and stays.',
    );
  });

  it('comes whole again where the provider has adjusted it for a split', async () => {
    const runs = settled();
    runs.providers.alpaca.bars = (bar) =>
      bar.symbol === 'S05' ? { ...bar, close: bar.close / 2, low: bar.low / 2 } : bar;
    const { reading, notes } = await runs.run(FINAL);
    expect(reading.whole).toEqual(['S05']);
    expect(closeIn(reading.history, 'S05', '2020-01-02')).toBe(fakeBar('S05', '2020-01-02').close / 2);
    expect(closeIn(reading.history, 'S04', '2020-01-02')).toBeNaN();
    expect(notes('readjusted')).toEqual(['ALPACA has adjusted the past of S05; it was read whole again.']);
    expect(runs.asked('alpaca').filter((each) => each.startsWith('bars S05 2019'))).toHaveLength(1);
    expect((await runs.run('2024-03-09T01:00:00Z')).reading.whole).toEqual([]);
  });

  it('is left out of the run where the adjusted past comes in part only', async () => {
    const runs = settled();
    runs.providers.alpaca.bars = (bar) =>
      bar.symbol !== 'S05'
        ? bar
        : bar.session < '2024-01-01'
          ? null
          : { ...bar, close: bar.close * 0.9, low: bar.low * 0.9 };
    const { reading, notes } = await runs.run(FINAL);
    expect(reading.whole).toEqual([]);
    expect(closeIn(runs.held, 'S05', WEDNESDAY)).toBe(fakeBar('S05', WEDNESDAY).close);
    expect(closeIn(reading.history, 'S05', FRIDAY)).toBeNaN();
    expect(notes('provider')[0]).toContain('on only 46 of the 1149 sessions that are held');
  });

  it('is not joined by a fallback that has split a symbol since', async () => {
    const runs = settled();
    runs.providers.alpaca.failing = () => 'timeout';
    runs.providers.yahoo.bars = (bar) =>
      bar.symbol === 'S05' ? { ...bar, close: bar.close / 1.5, low: bar.low / 1.5 } : bar;
    const { reading, notes } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S04', FRIDAY)).toBe(fakeBar('S04', FRIDAY).close);
    expect(closeIn(reading.history, 'S05', FRIDAY)).toBeNaN();
    expect(notes('readjusted')).toEqual([
      'YAHOO has prices of S05 on another scale; it is left out of this run.',
    ]);
  });

  it('of the fund comes whole again after its dividend', async () => {
    const runs = settled();
    runs.providers.alpaca.value = (_, session, value) => (session < FRIDAY ? value * 0.997 : value);
    await runs.run(FINAL);
    expect(valueIn(runs.held, 'treasury_fund_close', '2016-01-04')).toBeCloseTo(
      fakeValue('treasury_fund_close', '2016-01-04') * 0.997,
      10,
    );
  });

  it('comes whole again after an outage of weeks, without a gap', async () => {
    const runs = fakeRuns();
    await runs.run('2024-01-31T22:00:00Z');
    const { parts } = await runs.run(FINAL);
    expect(parts).toHaveLength(1 + 8 + 1);
    const { held } = runs;
    const sessions = held?.bars.sessions.slice(-1150) ?? [];
    const missing = sessions.filter((session) => Number.isNaN(closeIn(held, 'S00', session)));
    expect(missing).toEqual([]);
    expect(sessions.filter((session) => session > '2024-01-31')).toHaveLength(26);
    expect(valueIn(held, 'treasury_10y_yield', '2024-02-14')).toBe(
      fakeValue('treasury_10y_yield', '2024-02-14'),
    );
  });

  it('takes in late figures with a later run', async () => {
    const runs = settled();
    runs.providers.fred.value = (_, session, value) => (session > THURSDAY ? null : value);
    runs.providers.cboe.value = (name, session, value) =>
      name !== 'vix_close' && session > THURSDAY ? null : value;
    const early = await runs.run(FINAL);
    expect(valueIn(early.reading.history, 'high_yield_oas', FRIDAY)).toBeNaN();
    runs.providers.fred.value = (_, __, value) => value;
    runs.providers.cboe.value = (_, __, value) => value;
    const { reading } = await runs.run('2024-03-09T01:00:00Z');
    expect(valueIn(reading.history, 'high_yield_oas', FRIDAY)).toBe(fakeValue('high_yield_oas', FRIDAY));
    expect(valueIn(reading.history, 'put_call_total', FRIDAY)).toBe(fakeValue('put_call_total', FRIDAY));
    expect(runs.asked('cboe')).toContain('put_call_total,put_call_equity 2024-03-08..2024-03-08');
  });
});

describe('a session that repeats the one before', () => {
  it('is not believed, and comes from the fallback', async () => {
    const runs = settled();
    runs.providers.alpaca.bars = (bar) =>
      bar.session === FRIDAY ? { ...fakeBar(bar.symbol, THURSDAY), session: FRIDAY } : bar;
    const { reading, notes } = await runs.run(FINAL);
    expect(closeIn(reading.history, 'S02', FRIDAY)).toBe(fakeBar('S02', FRIDAY).close);
    expect(reading.originsOf?.(FRIDAY)[0]).toMatchObject({ input: 'bars', provider: 'yahoo' });
    expect(notes('provider')[0]).toBe(
      'ALPACA gives the bars of 2024-03-07 once more as those of 2024-03-08, which are not taken.',
    );
  });
});

describe('a clock that is off', () => {
  it('ten minutes ahead takes no session for final that is not', async () => {
    const runs = settled();
    runs.clockOffset = -600_000;
    const { reading, notes } = await runs.run('2024-03-08T21:35:00Z');
    expect(reading.observedAt).toBe(Date.parse('2024-03-08T20:59:00Z'));
    expect(notes('clock')).toEqual([
      "This computer's clock is 10 minutes ahead of the providers'; set it right.",
    ]);
    expect(runs.held?.sessions.at(-1)).toBe(THURSDAY);
  });

  it('stamps what was read by the clock of the providers', async () => {
    const runs = settled();
    runs.clockOffset = 600_000;
    const { reading } = await runs.run(OPEN);
    expect(reading.observedAt).toBe(Date.parse(OPEN) + 600_000);
  });

  it('by days reads nothing', async () => {
    const runs = settled();
    runs.clockOffset = -2 * 86_400_000;
    await expect(runs.run(FINAL)).rejects.toThrow(
      "This computer's clock is 2 days ahead of the providers', too far for any session to be read by it; set it right.",
    );
  });

  it('by a few minutes reads nothing of a session that has not come by the others', async () => {
    const runs = settled();
    runs.clockOffset = -10 * 60_000;
    await expect(runs.run('2024-03-08T14:52:00Z')).rejects.toThrow(
      "This computer's clock is 10 minutes ahead of the providers', by which 2024-03-08 has not come to be read; set the clock right.",
    );
  });

  it('behind by days reads nothing either, for what stands would be taken for the future', async () => {
    const runs = settled();
    runs.clockOffset = 2 * 86_400_000;
    await expect(runs.run(OPEN)).rejects.toThrow("2 days behind the providers'");
  });
});

describe('the run', () => {
  it('ends whole when its time is up', async () => {
    const runs = settled();
    const ending = new AbortController();
    runs.providers.fred.failing = () => {
      ending.abort(new Error('deadline'));
      return 'timeout';
    };
    await expect(runs.run(FINAL, { signal: ending.signal })).rejects.toThrow(
      'The run was ended before the providers had answered; the next one goes on.',
    );
  });

  it('takes up another universe, new members whole', async () => {
    const runs = settled();
    runs.members = [...fakeMembers(10).slice(2), { symbol: 'NEW', name: 'New', sector: 'Materials' }];
    const { reading, parts } = await runs.run(FINAL);
    expect(parts.map(({ bars }) => bars.members.map(({ symbol }) => symbol))).toEqual([['NEW']]);
    expect(reading.members).toHaveLength(9);
    expect(reading.history.bars.members.map(({ symbol }) => symbol)).not.toContain('S00');
    expect(closeIn(reading.history, 'NEW', FRIDAY)).toBe(fakeBar('NEW', FRIDAY).close);
  });

  it('fails in one sentence where the universe cannot be read, and goes on once it can', async () => {
    const runs = settled();
    const { members } = runs;
    runs.members = null;
    await expect(runs.run(FINAL)).rejects.toThrow('members.csv has no column sector; put it there.');
    expect(runs.providers.alpaca.asked).toEqual([]);
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
