// Preloaded into a server under attack (`NODE_OPTIONS=--import`). Writes a line of JSON into LOOP_WATCH_FILE for each stall
// of the event loop, with its duration and the part in which this thread was computing (ms).
import { appendFileSync, readFileSync } from 'node:fs';

const EVERY_MS = 10;
/** Shorter stalls are not reported. */
const MIN_STALL_MS = 40;
const NANOSECONDS = 1e6;

const file = process.env.LOOP_WATCH_FILE;

/** Linux's counters of the main thread: computing time, and waiting time for a processor (ms). */
function counted() {
  try {
    const [computed = 0, waited = 0] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return { computed: computed / NANOSECONDS, waited: waited / NANOSECONDS };
  } catch {
    return { computed: Number.NaN, waited: 0 };
  }
}

if (file !== undefined && process.argv.includes('serve')) {
  const report = (line) => appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...line })}\n`);
  let last = { at: performance.now(), ...counted() };
  report({ began: true });
  setInterval(() => {
    const now = { at: performance.now(), ...counted() };
    const stalled = now.at - last.at - EVERY_MS;
    if (stalled >= MIN_STALL_MS) {
      const computed = now.computed - last.computed;
      // Time spent waiting for the processor is not computing time of this process.
      const own = Number.isNaN(computed) ? stalled : Math.min(stalled - (now.waited - last.waited), computed);
      report({ stalled: Math.round(stalled), own: Math.round(own) });
    }
    last = { at: performance.now(), ...counted() };
  }, EVERY_MS).unref();
}
