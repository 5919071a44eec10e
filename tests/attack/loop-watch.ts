import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/set-up.mjs';
import { temporaryFolder } from '../support/product.ts';

/** A period in which a single task occupied the event loop of a server. */
export interface Stall {
  /** Duration (ms). */
  readonly stalled: number;
  /** Part of the stall in which the server itself used the processor (ms). */
  readonly own: number;
}

export interface LoopWatch {
  /** The environment for a server to watch. */
  readonly settings: Readonly<Record<string, string>>;
  /** True once a server is being watched. */
  isWatching(): boolean;
  /** Returns the stalls since the last call. */
  take(): Stall[];
  remove(): void;
}

const PRELOADED = pathToFileURL(join(ROOT, 'tests', 'attack', 'loop-watch.mjs')).href;

/** Watches the event loop of a server from within its process. */
export function watchLoop(): LoopWatch {
  const folder = temporaryFolder();
  const file = join(folder.path, 'stalls');
  let taken = 0;
  const lines = (): Record<string, unknown>[] => {
    try {
      return readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  };
  return {
    settings: { NODE_OPTIONS: `--import=${PRELOADED}`, LOOP_WATCH_FILE: file },
    isWatching: () => lines().some((line) => line.began === true),
    take() {
      const all = lines();
      const fresh = all.slice(taken).filter((line) => 'own' in line);
      taken = all.length;
      return fresh.map(({ stalled, own }) => ({ stalled: Number(stalled), own: Number(own) }));
    },
    remove: folder.remove,
  };
}
