import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AtEnd } from './ends.ts';

/** A child process of a benchmark. It receives orders and responds once to each. */
export interface Child<Order, News> {
  readonly process: ChildProcess;
  /** Sends an order and waits for the response. Throws if the process exits first. */
  order(order: Order): Promise<News>;
}

/** Starts a bundled entry beside this one. Stops it at clean-up by its own pid. */
export function startChild<Order extends object, News>(entry: string, atEnd: AtEnd): Child<Order, News> {
  const child = fork(fileURLToPath(new URL(`./${entry}.js`, import.meta.url)), { serialization: 'advanced' });
  const ended = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return {
    process: child,
    async order(order) {
      const answer = once(child, 'message');
      child.send(order);
      const first = await Promise.race([answer, ended.then(() => null)]);
      if (first === null)
        throw new Error(`The child process ${entry} ended. The lines above have its error.`);
      return first[0] as News;
    },
  };
}
