import { expect, it } from 'vitest';
import { fakeRuns } from '#tests/support/live-runs.ts';

const THURSDAY_EVENING = '2024-03-08T01:30:00Z';
const THURSDAY = '2024-03-07';
const INPUTS = ['put_call_total', 'put_call_equity', 'tick_proxy'] as const;

/** Thursday once more, over all that was read of it, as after a run that was killed before it published. */
async function again(isOnRecord: (input: string, session: string) => boolean) {
  const runs = fakeRuns();
  await runs.run(THURSDAY_EVENING, { job: 'backfill' });
  for (const { asked } of Object.values(runs.providers)) asked.length = 0;
  const { reading } = await runs.run(THURSDAY_EVENING, { isOnRecord });
  const origins = reading.originsOf?.(THURSDAY) ?? [];
  return {
    givers: INPUTS.map((name) => origins.find(({ input }) => input === name)?.provider),
    days: runs.asked('cboe').filter((each) => each.startsWith('put_call')),
    minutes: runs.asked('alpaca').filter((each) => each.startsWith('minutes')),
  };
}

it('of what is held and on record a TICK is not asked for again, put/call ratios for their corrections', async () => {
  const { days, minutes } = await again(() => true);
  expect(days).toEqual([`put_call_total,put_call_equity 2024-02-23..${THURSDAY}`]);
  expect(minutes).toEqual([]);
});

it('those that nobody is on record for are, so that none stands without a name', async () => {
  const { givers, days, minutes } = await again((_, session) => session !== THURSDAY);
  expect(givers).toEqual(['cboe', 'cboe', 'alpaca']);
  expect(days).toContain(`put_call_total,put_call_equity ${THURSDAY}..${THURSDAY}`);
  expect(minutes).toHaveLength(1);
});

it('values of a first fill have their givers in the run that read them', async () => {
  const runs = fakeRuns();
  const { reading } = await runs.run(THURSDAY_EVENING, { job: 'backfill', isOnRecord: () => false });
  const origins = reading.originsOf?.('2024-03-01') ?? [];
  expect(origins.find(({ input }) => input === 'put_call_total')).toMatchObject({
    provider: 'cboe',
    session: '2024-03-01',
  });
});
