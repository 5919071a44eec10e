// Preloaded into the measured servers: a clock that runs faster than this machine's, so that trading hours pass in
// minutes, and schedules at the same speed.

const { BENCH_BEGAN, BENCH_EPOCH, BENCH_PACE } = process.env;
/** Start of the benchmark by this machine's clock and by the servers' (epoch ms), and the speed of the servers' clock. */
const [began, epoch, pace] = [BENCH_BEGAN, BENCH_EPOCH, BENCH_PACE].map(Number) as [number, number, number];

const machine = Date;
const now = () => epoch + (machine.now() - began) * pace;
globalThis.Date = new Proxy(machine, {
  construct: (of, parameters) =>
    parameters.length === 0 ? new of(now()) : Reflect.construct(of, parameters),
  get: (of, name) => (name === 'now' ? now : Reflect.get(of, name)),
});

/** The interval of a schedule is measured by this clock, all other timers by the real one. */
const SCHEDULE = /\bstartSchedule\b/;
const plain = globalThis.setInterval;
const repeat = (task: () => void, ms = 0, ...rest: unknown[]) =>
  plain(task, SCHEDULE.test(new Error().stack ?? '') ? ms / pace : ms, ...rest);
globalThis.setInterval = Object.assign(repeat, plain) as typeof setInterval;
