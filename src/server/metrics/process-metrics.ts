import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Family } from './exposition.ts';

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Follows this process from now on: its memory, and how late its event loop was since it was last asked. */
export function createProcessMetrics(): () => Family[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    // The delay includes the resolution itself; with nothing measured yet it is not a number.
    const late = (ns: number) =>
      Math.max(0, (Number.isFinite(ns) ? ns : 0) / NS_PER_SECOND - RESOLUTION_MS / 1000);
    const lag = [
      ['0.5', late(delay.percentile(50))],
      ['0.99', late(delay.percentile(99))],
      ['1', late(delay.max)],
    ] as const;
    delay.reset();
    const gauge = (name: string, help: string, value: number): Family => ({
      name,
      help,
      type: 'gauge',
      samples: [{ labels: {}, value }],
    });
    return [
      gauge('process_resident_memory_bytes', 'Resident memory.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
      gauge('process_uptime_seconds', 'Seconds since the process began.', process.uptime()),
      {
        name: 'barometer_event_loop_lag_seconds',
        help: 'How late the event loop was since the last scrape, by quantile.',
        type: 'gauge',
        samples: lag.map(([quantile, value]) => ({ labels: { quantile }, value })),
      },
    ];
  };
}
