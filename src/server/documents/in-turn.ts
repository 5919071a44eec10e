export class TooManyWaiting extends Error {}

interface Turns {
  readonly most: number;
  readonly mostPerClient: number;
  /** Called when a call has ended. The next call begins when its promise resolves. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

/** Runs one call after another, one of each client in turn. Rejects with TooManyWaiting if too many wait or run. */
export function createTurns({ most, mostPerClient, pause }: Turns) {
  /** The calls that wait, by client, in the order of the clients' turns. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  const counts = new Map<string, number>();
  let total = 0;
  let isRunning = false;

  function add(client: string, by: 1 | -1): void {
    const count = (counts.get(client) ?? 0) + by;
    if (count === 0) counts.delete(client);
    else counts.set(client, count);
    total += by;
  }

  async function runAll(): Promise<void> {
    isRunning = true;
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [client, [next, ...later]] = first;
      waiting.delete(client);
      if (later.length > 0) waiting.set(client, later);
      await next?.();
      await pause?.();
    }
    isRunning = false;
  }

  return <T>(client: string, work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (total >= most || (counts.get(client) ?? 0) >= mostPerClient) {
        reject(new TooManyWaiting());
        return;
      }
      add(client, 1);
      const run = () =>
        work()
          .finally(() => add(client, -1))
          .then(resolve, reject);
      waiting.set(client, [...(waiting.get(client) ?? []), run]);
      if (!isRunning) void runAll();
    });
}
