// Preloaded by the servers that are measured: a clock of their own that goes faster than this machine's, so that hours of
// the exchange pass in minutes, and a schedule that keeps up with it.

const { BENCH_BEGAN, BENCH_EPOCH, BENCH_PACE } = process.env;
/** When the bench began by this machine's clock, when that is by theirs (epoch ms), and how much faster theirs goes. */
const [began, epoch, pace] = [BENCH_BEGAN, BENCH_EPOCH, BENCH_PACE].map(Number) as [number, number, number];

const machine = Date;
const now = () => epoch + (machine.now() - began) * pace;
globalThis.Date = new Proxy(machine, {
  construct: (of, parameters) =>
    parameters.length === 0 ? new of(now()) : Reflect.construct(of, parameters),
  get: (of, name) => (name === 'now' ? now : Reflect.get(of, name)),
});

/** A timeout set by the schedule: it waits for a time of the clock. All others wait for a duration. */
const SCHEDULE = /\bwaitForTick\b/;
const SHORTEST_MS = 1_000;
const plain = globalThis.setTimeout;
const waits = (task: () => void, ms?: number, ...rest: unknown[]) => {
  const isScheduled = ms !== undefined && ms >= SHORTEST_MS && SCHEDULE.test(new Error().stack ?? '');
  return plain(task, isScheduled ? ms / pace : ms, ...rest);
};
globalThis.setTimeout = Object.assign(waits, plain) as typeof setTimeout;
