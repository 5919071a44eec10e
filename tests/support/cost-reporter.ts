import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { ROOT } from '../../scripts/set-up.mjs';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;
/** Time between two looks at the processes (ms). One that ends in between is counted by the process that waits for it. */
const INTERVAL_MS = 200;
const HAS_PROC = existsSync('/proc/self/stat');

interface Process {
  readonly parent: number;
  readonly started: string;
  /** CPU time of the process and of the children it has waited for. */
  readonly ticks: number;
}

/** All processes of the machine by id. */
function readProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The fields from the third on: the second one, the name, can contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), started: fields[19] ?? '', ticks });
    } catch {
      // The process has ended.
    }
  }
  return processes;
}

/** Counts the CPU time of this process and of all that descend from it, also of those that leave it, as Postgres does. */
class CpuTime {
  #family = new Map<number, Process>();
  /** CPU time of ended processes that no process of the family waited for (ticks). */
  #ended = 0;

  /** Returns the CPU time until now (seconds). */
  seconds(): number {
    const all = readProcesses();
    const before = this.#family;
    const isKnown = (id: number) => before.get(id)?.started === all.get(id)?.started && all.has(id);
    const belongs = (id: number): boolean => {
      if (id === process.pid || isKnown(id)) return true;
      const parent = all.get(id)?.parent ?? 0;
      return parent > 1 && belongs(parent);
    };
    this.#family = new Map([...all].filter(([id]) => belongs(id)));
    /** True if a living ancestor has waited for the process, or for the one that did. */
    const isWaitedFor = (id: number): boolean => {
      const parent = before.get(id)?.parent;
      return parent !== undefined && (isKnown(parent) || isWaitedFor(parent));
    };
    for (const [id, { ticks }] of before) if (!isKnown(id) && !isWaitedFor(id)) this.#ended += ticks;
    let ticks = this.#ended;
    for (const each of this.#family.values()) ticks += each.ticks;
    return ticks / TICKS_PER_SECOND;
  }
}

/** Prints the CPU seconds of each test file, its processes included. Needs `--maxWorkers=1`. Without /proc, elapsed seconds. */
class CostReporter implements Reporter {
  readonly #costs: { name: string; project: string; seconds: number }[] = [];
  readonly #cpu = new CpuTime();
  #counted = 0;

  onInit(): void {
    if (HAS_PROC) setInterval(() => this.#cpu.seconds(), INTERVAL_MS).unref();
  }

  onTestModuleEnd(module: TestModule): void {
    let seconds = module.diagnostic().duration / 1000;
    if (HAS_PROC) {
      const counted = this.#cpu.seconds();
      seconds = counted - this.#counted;
      this.#counted = counted;
    }
    const name = relative(ROOT, module.moduleId);
    this.#costs.push({ name, project: module.project.name, seconds });
    console.log(`${seconds.toFixed(1).padStart(6)}  ${module.state()}  ${name}`);
  }

  onTestRunEnd(): void {
    const sum = (costs: readonly { seconds: number }[]) =>
      costs.reduce((total, { seconds }) => total + seconds, 0).toFixed(1);
    console.log(`\n${HAS_PROC ? 'CPU' : 'Elapsed (this system has no /proc)'} seconds of each file:`);
    for (const { name, seconds } of this.#costs.toSorted((one, other) => other.seconds - one.seconds))
      console.log(`${seconds.toFixed(1).padStart(6)}  ${name}`);
    for (const project of new Set(this.#costs.map((cost) => cost.project)))
      console.log(`${project}: ${sum(this.#costs.filter((cost) => cost.project === project))}`);
    console.log(`all: ${sum(this.#costs)}`);
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest loads the default export of a reporter.
export default CostReporter;
