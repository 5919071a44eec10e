import type { BarMatrix, MarketHistory, SeriesName } from '#domain/market-history.ts';

/** Consecutive days from 2020-01-01; a window does not depend on the exchange's holidays. */
export function days(count: number): string[] {
  const first = Date.UTC(2020, 0, 1);
  return Array.from({ length: count }, (_, at) =>
    new Date(first + at * 86_400_000).toISOString().slice(0, 10),
  );
}

/** Consecutive weekdays from Wednesday 2020-01-01. */
export function weekdays(count: number): string[] {
  return days(Math.ceil((count * 7) / 5) + 7)
    .filter((day) => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay()))
    .slice(0, count);
}

/** A linear congruential generator of repeatable numbers from 0 to below 1. */
export function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Members by symbol with one close per session (null: no bar). High and low are the close; volume is 100. */
export function barsOf(
  closes: Readonly<Record<string, readonly (number | null)[]>>,
  { sectors = {}, volumes = {} }: { sectors?: Record<string, string>; volumes?: Record<string, number> } = {},
): BarMatrix {
  const symbols = Object.keys(closes);
  const width = Math.max(0, ...symbols.map((symbol) => closes[symbol]?.length ?? 0));
  const close = new Float64Array(symbols.length * width).fill(Number.NaN);
  const volume = new Float64Array(symbols.length * width).fill(Number.NaN);
  symbols.forEach((symbol, member) => {
    closes[symbol]?.forEach((price, session) => {
      if (price === null) return;
      close[member * width + session] = price;
      volume[member * width + session] = volumes[symbol] ?? 100;
    });
  });
  return {
    sessions: days(width),
    members: symbols.map((symbol) => ({ symbol, name: symbol, sector: sectors[symbol] ?? 'Energy' })),
    open: close,
    high: close,
    low: close,
    close,
    volume,
  };
}

/** Marks that leave out no member from any session. */
export function nobody(bars: BarMatrix): Uint8Array {
  return new Uint8Array(bars.close.length);
}

/** A market of random walks: `members` stocks in three sectors, and every series not named in `without`. */
export function wanderingMarket(
  sessionCount: number,
  members = 12,
  without: readonly SeriesName[] = [],
): MarketHistory {
  const next = noise(7);
  const wander = (start: number, step: number): number[] => {
    let value = start;
    return Array.from({ length: sessionCount }, () => {
      value *= 1 + step * (next() - 0.49);
      return value;
    });
  };
  const level = (low: number, high: number): Float64Array =>
    Float64Array.from({ length: sessionCount }, () => low + (high - low) * next());
  const names = Array.from({ length: members }, (_, at) => `M${at}`);
  const sectors = ['Energy', 'Financials', 'Utilities'];
  const sessions = weekdays(sessionCount);
  const bars = {
    ...barsOf(Object.fromEntries(names.map((name) => [name, wander(100, 0.04)])), {
      sectors: Object.fromEntries(names.map((name, at) => [name, sectors[at % 3] ?? ''])),
    }),
    sessions,
  };
  const series: Partial<Record<SeriesName, Float64Array>> = {
    sp500_close: Float64Array.from(wander(3000, 0.02)),
    sp500_volume: level(900, 1100),
    nasdaq_composite_close: Float64Array.from(wander(9000, 0.02)),
    dow_jones_close: Float64Array.from(wander(25_000, 0.02)),
    vix_close: level(12, 32),
    put_call_total: level(0.7, 1.2),
    put_call_equity: level(0.5, 0.8),
    nyse_advances: level(500, 2300).map(Math.round),
    nyse_declines: level(500, 2300).map(Math.round),
    nyse_unchanged: level(20, 120).map(Math.round),
    nyse_new_highs: level(5, 200).map(Math.round),
    nyse_new_lows: level(5, 200).map(Math.round),
    high_yield_oas: level(3, 6),
    investment_grade_oas: level(1, 2),
    treasury_10y_yield: level(1, 3),
  };
  for (const name of without) delete series[name];
  return { sessions, series, bars, universe: 'Test 12' };
}
