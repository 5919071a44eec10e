import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes by their parent. */
function children(): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(join('/proc', name, 'stat'), 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      found.set(parent, [...(found.get(parent) ?? []), Number(name)]);
    } catch {
      // The process has ended.
    }
  }
  return found;
}

/**
 * Memory of a process and its descendants, Postgres among them (MB). Shared pages are divided among their processes (Pss).
 * Reads /proc, so it needs Linux.
 */
export function memoryOfAll(pid: number): number {
  const byParent = children();
  const of = (one: number): number => {
    let kilobytes = 0;
    try {
      kilobytes = Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1]);
    } catch {
      // The process has ended.
    }
    return (byParent.get(one) ?? []).reduce((sum, child) => sum + of(child), kilobytes);
  };
  return (of(pid) * 1024) / 1e6;
}
