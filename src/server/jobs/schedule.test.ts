import { describe, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import type { Timer } from './aligned-timer.ts';
import { type ScheduledRun, startSchedule } from './schedule.ts';

function set(runs: ScheduledRun[]) {
  const written: string[] = [];
  const log: Log = {
    info: () => {},
    warn: () => {},
    error: (event, fields) => written.push(`${event} ${fields?.job}: ${fields?.reason}`),
  };
  const ticks = new Map<number, () => void>();
  const stopped: number[] = [];
  const timer: Timer = (everyMs, _, tick) => {
    ticks.set(everyMs, tick);
    return { stop: () => stopped.push(everyMs) };
  };
  const time = { now: 0 };
  const schedule = startSchedule({ runs, clock: () => time.now, log, timer });
  return { schedule, written, stopped, time, tick: (everyMs: number) => ticks.get(everyMs)?.() };
}

/** A run whose end the test decides. */
function heldRun() {
  const ends: (() => void)[] = [];
  return { run: () => new Promise<void>((resolve) => ends.push(resolve)), ends };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('startSchedule', () => {
  it('catches up at the start, due or not, and then does what is due', async () => {
    const done: number[] = [];
    const run = {
      name: 'collect',
      everyMs: 1,
      atStart: true,
      isDue: (now: number) => now >= 10,
      run: async () => {
        done.push(1);
      },
    };
    const { tick, time } = set([run]);
    await settled();
    expect(done).toHaveLength(1);
    tick(1);
    await settled();
    expect(done).toHaveLength(1);
    time.now = 10;
    tick(1);
    await settled();
    expect(done).toHaveLength(2);
  });

  it('does one run at a time and drops ticks of one that still waits', async () => {
    const one = heldRun();
    const other = heldRun();
    const { tick } = set([
      { name: 'one', everyMs: 1, run: one.run },
      { name: 'other', everyMs: 2, run: other.run },
    ]);
    tick(1);
    await settled();
    tick(2);
    tick(2);
    tick(2);
    await settled();
    expect([one.ends.length, other.ends.length]).toEqual([1, 0]);
    one.ends[0]?.();
    await settled();
    expect(other.ends).toHaveLength(1);
    other.ends[0]?.();
    await settled();
    expect(other.ends).toHaveLength(1);
  });

  it('says in one line that a run failed, and does the next one all the same', async () => {
    let times = 0;
    const run = async () => {
      times += 1;
      if (times === 1) throw new Error('The source is away.');
    };
    const { tick, written } = set([{ name: 'collect', everyMs: 1, run }]);
    tick(1);
    await settled();
    tick(1);
    await settled();
    expect(times).toBe(2);
    expect(written).toEqual(['job failed collect: The source is away.']);
  });

  it('stops after the run under way, which is told to end', async () => {
    const seen: string[] = [];
    const { schedule, tick, stopped } = set([
      {
        name: 'long',
        everyMs: 1,
        run: (signal) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () => {
              seen.push('told');
              resolve();
            }),
          ),
      },
      {
        name: 'next',
        everyMs: 2,
        run: async () => {
          seen.push('never');
        },
      },
    ]);
    tick(1);
    tick(2);
    await settled();
    await schedule.stop();
    expect(seen).toEqual(['told']);
    expect(stopped).toEqual([1, 2]);
  });
});
