import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/set-up.mjs';
import { temporaryFolder } from '../support/product.ts';

/** A time in which a server's loop did one thing only. */
export interface Stall {
  /** How long that was (ms), and how much of it the server itself was computing. */
  readonly stalled: number;
  readonly own: number;
}

export interface LoopWatch {
  /** The environment by which a server is watched. */
  readonly settings: Readonly<Record<string, string>>;
  /** True once a server is being watched. */
  isWatching(): boolean;
  /** Returns the stalls since the last call. */
  take(): Stall[];
  remove(): void;
}

const PRELOADED = pathToFileURL(join(ROOT, 'tests', 'attack', 'loop-watch.mjs')).href;

/** Watches the loop of a server from within, for as long as it runs. */
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
