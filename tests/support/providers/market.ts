import { parseDay } from '#domain/calendar/days.ts';
import { sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import type { Member } from '#domain/market-history.ts';

/** Periods of a price's swings in days. A swing grows with the root of its period, as in a random walk. */
const SPANS = [512, 128, 32, 8, 2, 1].map((span) => ({ span, reach: Math.sqrt(span) }));
const MINUTE = 60_000;

export interface StubBar {
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/**
 * A market in which every value is a function of its name and day: it has no starting point, any day is available, and
 * repeated reads are equal.
 */
export interface StubMarket {
  /** The bar of a stock or a fund up to a time of its session; null before the opening bell. */
  barAt(symbol: string, session: string, at: number): StubBar | null;
  /** The price of a stock at a minute of a session (epoch ms). */
  priceAt(symbol: string, session: string, at: number): number;
  /** An index or a rate at a time of its session, with two decimals. */
  levelAt(name: LevelName, session: string, at: number): number;
  /** The exchange's counts of a closed session. */
  countsOf(session: string): Record<'advances' | 'declines' | 'unchanged' | 'newhighs' | 'newlows', number>;
}

const LEVELS = {
  sp500: { base: 5200, market: 1, own: 0 },
  nasdaq: { base: 16_400, market: 1.25, own: 0.003 },
  dow: { base: 39_000, market: 0.85, own: 0.002 },
  vix: { base: 17, market: -3, own: 0.03 },
  putCallTotal: { base: 0.92, market: -0.6, own: 0.02 },
  putCallEquity: { base: 0.64, market: -0.6, own: 0.02 },
  highYield: { base: 3.4, market: -1.5, own: 0.004 },
  investmentGrade: { base: 1.02, market: -1, own: 0.003 },
  tenYear: { base: 4.1, market: 0.4, own: 0.004 },
  trin: { base: 1, market: 0, own: 0.03 },
} as const;
export type LevelName = keyof typeof LEVELS;

/** The market of `members` and of any fund. A stock follows the market, its sector and its own random walk. */
export function createStubMarket(members: readonly Member[]): StubMarket {
  const sectors = new Map(members.map(({ symbol, sector }) => [symbol, sector]));
  const marketWalk = remembered((day: number) => walk(seedOf('the market'), day, 0.008));
  const sectorWalks = new Map(
    [...new Set(sectors.values()), 'fund'].map((sector) => [
      sector,
      remembered((day: number) => walk(seedOf(sector), day, 0.004)),
    ]),
  );

  function valueOn(symbol: string, day: number): number {
    const seed = seedOf(symbol);
    const beta = 0.7 + 0.7 * unit(seed, -1);
    const base = 20 + 380 * unit(seed, -2) ** 2;
    const sectorWalk = sectorWalks.get(sectors.get(symbol) ?? 'fund')?.(day) ?? 0;
    return base * Math.exp(beta * marketWalk(day) + sectorWalk + walk(seed, day, 0.011));
  }

  function priceAt(symbol: string, session: string, at: number): number {
    const { day } = bells(session);
    const done = partOfSession(session, at);
    const open = openOn(symbol, day);
    const close = valueOn(symbol, day);
    if (done >= 1) return cents(close);
    const minute = Math.floor(at / MINUTE);
    return cents((open + (close - open) * done) * (1 + 0.001 * (unit(seedOf(symbol), minute) - 0.5)));
  }

  function openOn(symbol: string, day: number): number {
    return valueOn(symbol, day - 1) * (1 + 0.004 * (unit(seedOf(symbol), -day) - 0.5));
  }

  return {
    barAt(symbol, session, at) {
      const done = partOfSession(session, at);
      if (done <= 0) return null;
      const { day } = bells(session);
      const seed = seedOf(symbol);
      const open = cents(openOn(symbol, day));
      const close = priceAt(symbol, session, at);
      const reach = (salt: number) => 1 + 0.009 * done * unit(seed, day * 8 + salt);
      return {
        open,
        high: cents(Math.max(open, close) * reach(1)),
        low: cents(Math.min(open, close) / reach(2)),
        close,
        volume: Math.round(1e6 * (0.5 + 8 * unit(seed, -3)) * (0.6 + unit(seed, day * 8 + 3)) * done),
      };
    },
    priceAt,
    levelAt(name, session, at) {
      const { base, market: beta, own } = LEVELS[name];
      const done = Math.min(1, partOfSession(session, at));
      const { day } = bells(session);
      const on = (when: number) => base * Math.exp(beta * marketWalk(when) + walk(seedOf(name), when, own));
      return cents(on(day - 1) + (on(day) - on(day - 1)) * done);
    },
    countsOf(session) {
      const { day } = bells(session);
      const seed = seedOf('counts');
      const move = marketWalk(day) - marketWalk(day - 1);
      const unchanged = 60 + Math.round(60 * unit(seed, day * 4));
      const part = 1 / (1 + Math.exp(-120 * move - unit(seed, day * 4 + 1) + 0.5));
      const advances = Math.round((2830 - unchanged) * part);
      const newhighs = Math.round(200 * part * unit(seed, day * 4 + 2));
      const newlows = Math.round(160 * (1 - part) * unit(seed, day * 4 + 3));
      return { advances, declines: 2830 - unchanged - advances, unchanged, newhighs, newlows };
    },
  };
}

const bells = remembered((session: string) => ({
  day: parseDay(session),
  open: sessionOpen(session),
  close: sessionClose(session),
}));

/** The elapsed part of a session: 0 before the opening bell, 1 from the closing one on. */
function partOfSession(session: string, at: number): number {
  const { open, close } = bells(session);
  return Math.min(1, Math.max(0, (at - open) / (close - open)));
}

/** Cached, because hundreds of symbols need the same value of a day. */
export function remembered<K, V>(find: (key: K) => V): (key: K) => V {
  const found = new Map<K, V>();
  return (key) => {
    let value = found.get(key);
    if (value === undefined) {
      value = find(key);
      found.set(key, value);
    }
    return value;
  };
}

const cents = (value: number) => Math.round(value * 100) / 100;

/** The logarithm of a random walk on a day; `step` is its typical daily change. */
function walk(seed: number, day: number, step: number): number {
  let sum = 0;
  for (const { span, reach } of SPANS) {
    const at = Math.floor(day / span);
    const within = day / span - at;
    const before = unit(seed ^ span, at);
    sum += reach * (before + (unit(seed ^ span, at + 1) - before) * within - 0.5);
  }
  return step * sum;
}

/** Returns a repeatable number from 0 to below 1 for two whole numbers. */
function unit(seed: number, at: number): number {
  let value = Math.imul(seed ^ Math.imul(at | 0, 0x9e3779b1), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 15), 0xc2b2ae35);
  return ((value ^ (value >>> 13)) >>> 0) / 4_294_967_296;
}

const seedOf = remembered((name: string) => {
  let seed = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) seed = Math.imul(seed ^ name.charCodeAt(at), 0x01000193);
  return seed;
});
