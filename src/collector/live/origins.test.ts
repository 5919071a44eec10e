import { expect, it } from 'vitest';
import { fakeRuns } from '#tests/support/live-runs.ts';

const THURSDAY_EVENING = '2024-03-08T01:30:00Z';
const THURSDAY = '2024-03-07';
const INPUTS = ['put_call_total', 'put_call_equity', 'tick_proxy'] as const;

/** Repeats Thursday's run over its stored data, as after a run that was killed before it published. */
async function runAgain(hasOrigin: (input: string, session: string) => boolean) {
  const runs = fakeRuns();
  await runs.run(THURSDAY_EVENING, { job: 'backfill' });
  for (const { requests } of Object.values(runs.providers)) requests.length = 0;
  const { reading } = await runs.run(THURSDAY_EVENING, { hasOrigin });
  const origins = reading.originsOf?.(THURSDAY) ?? [];
  return {
    providers: INPUTS.map((name) => origins.find(({ input }) => input === name)?.provider),
    days: runs.requests('cboe').filter((each) => each.startsWith('put_call')),
    minutes: runs.requests('alpaca').filter((each) => each.startsWith('minutes')),
  };
}

it('requests a stored TICK that has an origin only once', async () => {
  const { days, minutes } = await runAgain(() => true);
  expect(days).toEqual([`put_call_total,put_call_equity 2024-02-23..${THURSDAY}`]);
  expect(minutes).toEqual([]);
});

it('requests stored values without an origin again', async () => {
  const { providers, days, minutes } = await runAgain((_, session) => session !== THURSDAY);
  expect(providers).toEqual(['cboe', 'cboe', 'alpaca']);
  expect(days).toContain(`put_call_total,put_call_equity ${THURSDAY}..${THURSDAY}`);
  expect(minutes).toHaveLength(1);
});

it('records the origin of backfilled values in the same run', async () => {
  const runs = fakeRuns();
  const { reading } = await runs.run(THURSDAY_EVENING, { job: 'backfill', hasOrigin: () => false });
  const origins = reading.originsOf?.('2024-03-01') ?? [];
  expect(origins.find(({ input }) => input === 'put_call_total')).toMatchObject({
    provider: 'cboe',
    session: '2024-03-01',
  });
});
