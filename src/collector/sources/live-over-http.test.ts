import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { MarketHistory } from '#domain/market-history.ts';
import { closeIn, type Runs, runsOf, valueIn } from '#tests/support/live-runs.ts';
import { liveOver } from '#tests/support/providers/live.ts';
import { type ProviderStubs, startProviderStubs } from '#tests/support/providers/stubs.ts';
import { PROVIDER_NAMES } from '../providers/provider.ts';

const MEMBERS = ['AAPL', 'BRK.B', 'CVX', 'JPM', 'MSFT', 'XOM'].map((symbol) => ({
  symbol,
  name: symbol,
  sector: 'Energy',
}));
const THURSDAY = '2026-11-19';
const FRIDAY = '2026-11-20';
const THURSDAY_NIGHT = '2026-11-20T02:00:00Z';
const FRIDAY_NOON = '2026-11-20T17:00:00Z';
const FRIDAY_NIGHT = '2026-11-21T02:00:00Z';

let stubs: ProviderStubs;
let clock = 0;
let thursday: MarketHistory | null = null;

/** Runs over the real providers and their stubs, after Thursday's. */
function settled(): Runs {
  const runs = runsOf(liveOver(stubs, { members: MEMBERS, now: () => clock }));
  runs.held = thursday;
  return runs;
}

function runAt(now: string, runs = settled()) {
  clock = Date.parse(now);
  return runs.run(now);
}

beforeAll(async () => {
  stubs = await startProviderStubs({ members: MEMBERS, now: () => clock });
  const runs = settled();
  await runAt(THURSDAY_NIGHT, runs);
  thursday = runs.held;
});
afterAll(() => stubs.close());
beforeEach(() => stubs.reset());

it('fills every input from the providers as they answer', async () => {
  expect(thursday?.bars.members).toHaveLength(6);
  expect(thursday?.bars.sessions).toHaveLength(1151);
  const { reading, notes } = await runAt(FRIDAY_NIGHT);
  expect(notes('provider')).toEqual([]);
  const late = ['high_yield_oas', 'investment_grade_oas', 'treasury_10y_yield'];
  const origins = reading.originsOf?.(FRIDAY) ?? [];
  expect(origins).toHaveLength(18);
  for (const { input, provider, session } of origins) {
    expect({ input, given: provider !== null, session }).toEqual({
      input,
      given: true,
      session: late.includes(input) ? THURSDAY : FRIDAY,
    });
  }
});

it('reads a session under way as far as the delayed feed reaches', async () => {
  const { reading } = await runAt(FRIDAY_NOON);
  expect(reading.observedAt).toBe(Date.parse(FRIDAY_NOON) - 16 * 60_000);
  expect(closeIn(reading.history, 'BRK.B', FRIDAY)).toBeGreaterThan(0);
  expect(valueIn(reading.history, 'vix_close', FRIDAY)).toBeGreaterThan(0);
  expect(valueIn(reading.history, 'tick_proxy', FRIDAY)).not.toBeNaN();
});

it('gives nothing when nobody answers', async () => {
  for (const name of PROVIDER_NAMES) stubs.fault(name, 'closes');
  const runs = settled();
  await expect(runAt(FRIDAY_NIGHT, runs)).rejects.toThrow('Only 0 of 6 symbols have a bar of 2026-11-20');
  expect(runs.held).toBe(thursday);
});
