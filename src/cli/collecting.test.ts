import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimulatedSource } from '#collector/sources/simulated.ts';
import { createLog } from '#server/log.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { createCollecting } from './collecting.ts';

const BEGAN = Date.parse('2026-11-13T22:00:00Z');
const source = createSimulatedSource({ years: 0 });
const log = createLog({ write: () => undefined, clock: () => BEGAN, format: 'json' });
let embedded: EmbeddedForTest;

const collectingSince = (began: number) =>
  createCollecting({ database: embedded.database, source, began, now: () => BEGAN, log });

beforeAll(async () => {
  embedded = await embeddedForTest();
});

afterAll(() => embedded.remove());

it('catches up at the start, but not on what the same start has just filled', async () => {
  const collecting = collectingSince(BEGAN);
  expect((await collecting.scheduledRun()).atStart).toBe(true);
  await collecting.run('backfill', source);
  expect((await collecting.scheduledRun()).atStart).toBe(false);
  expect((await collectingSince(BEGAN + 1).scheduledRun()).atStart).toBe(true);
});

it('goes on with the source of the last run that succeeded', async () => {
  const collecting = collectingSince(BEGAN + 1);
  const replay = { ...source, word: 'replay' as const };
  await collecting.run('backfill', replay);
  const { atStart, isDue } = await collecting.scheduledRun();
  expect([atStart, isDue?.(BEGAN + 86_400_000)]).toEqual([false, false]);
});
