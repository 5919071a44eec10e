// Preloaded into the measured server and its child processes. Provides a movable clock, removes pauses between provider
// requests, and reports memory and stalls of the server over the IPC channel.
import { syncBuiltinESMExports } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import timers from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** Offset of the clock from now on (ms ahead of this machine's). */
export interface DayQuestion {
  readonly ahead: number;
}

/** Current memory of the process (bytes), and the longest block of its main thread since the last request (ms). */
export interface DayAnswer {
  readonly resident: number;
  readonly peak: number;
  readonly stall: number;
}

const RESOLUTION_MS = 5;

let ahead = Number(process.env.BENCH_AHEAD);
const machine = Date;
globalThis.Date = new Proxy(machine, {
  construct: (of, parameters) =>
    parameters.length === 0 ? new of(machine.now() + ahead) : Reflect.construct(of, parameters),
  get: (of, name) => (name === 'now' ? () => machine.now() + ahead : Reflect.get(of, name)),
});

Object.assign(timers, { setTimeout: async () => undefined });
syncBuiltinESMExports();

if (isMainThread && process.argv[2] === 'serve') {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on('message', (question: DayQuestion) => {
    ahead = question.ahead;
    // Child processes started from now on have this offset.
    process.env.BENCH_AHEAD = String(ahead);
    const answer: DayAnswer = {
      resident: process.memoryUsage.rss(),
      peak: process.resourceUsage().maxRSS * 1024,
      stall: Math.max(0, delays.max / 1e6 - RESOLUTION_MS),
    };
    delays.reset();
    process.send?.(answer);
  });
  // The channel does not keep the process alive.
  process.channel?.unref();
}
