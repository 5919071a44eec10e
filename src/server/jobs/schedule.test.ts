import { describe, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import { type ScheduledRun, startSchedule, type Timer } from './schedule.ts';

function set(runs: ScheduledRun[]) {
  const written: string[] = [];
  const log: Log = {
    info: () => {},
    warn: () => {},
    error: (event, fields) => written.push(`${event} ${fields?.job}: ${fields?.reason}`),
  };
  const ticks = new Map<string, () => void>();
  const stopped: string[] = [];
  const timer: Timer = (pattern, tick) => {
    ticks.set(pattern, tick);
    return { stop: () => stopped.push(pattern) };
  };
  const time = { now: 0 };
  const schedule = startSchedule({ runs, clock: () => time.now, log, timer });
  return { schedule, written, stopped, time, tick: (pattern: string) => ticks.get(pattern)?.() };
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
      pattern: 'p',
      atStart: true,
      isDue: (now: number) => now >= 10,
      run: async () => {
        done.push(1);
      },
    };
    const { tick, time } = set([run]);
    await settled();
    expect(done).toHaveLength(1);
    tick('p');
    await settled();
    expect(done).toHaveLength(1);
    time.now = 10;
    tick('p');
    await settled();
    expect(done).toHaveLength(2);
  });

  it('does one run at a time and drops ticks of one that still waits', async () => {
    const one = heldRun();
    const other = heldRun();
    const { tick } = set([
      { name: 'one', pattern: '1', run: one.run },
      { name: 'other', pattern: '2', run: other.run },
    ]);
    tick('1');
    await settled();
    tick('2');
    tick('2');
    tick('2');
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
    const { tick, written } = set([{ name: 'collect', pattern: 'p', run }]);
    tick('p');
    await settled();
    tick('p');
    await settled();
    expect(times).toBe(2);
    expect(written).toEqual(['job failed collect: The source is away.']);
  });

  it('stops after the run under way, which is told to end', async () => {
    const seen: string[] = [];
    const { schedule, tick, stopped } = set([
      {
        name: 'long',
        pattern: '1',
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
        pattern: '2',
        run: async () => {
          seen.push('never');
        },
      },
    ]);
    tick('1');
    tick('2');
    await settled();
    await schedule.stop();
    expect(seen).toEqual(['told']);
    expect(stopped).toEqual(['1', '2']);
  });

  it('takes croner patterns', async () => {
    const log: Log = { info() {}, warn() {}, error() {} };
    const runs = [{ name: 'hourly', pattern: '5 9-16 * * 1-5', run: async () => {} }];
    await startSchedule({ runs, clock: () => 0, log }).stop();
  });
});
