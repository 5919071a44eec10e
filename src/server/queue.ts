/** A call was refused: too many others wait or run, or it has waited too long. */
export class TooManyWaiting extends Error {}

interface QueueLimits {
  /** Maximum number of calls that run at the same time; 1 by default. */
  readonly atOnce?: number;
  /** Maximum number of calls that wait or run, in total and of one client. */
  readonly most: number;
  readonly mostPerClient?: number;
  /** Maximum time that a call waits (ms); no limit by default. */
  readonly waitMs?: number;
  /** Called when a call has ended. The next one begins when its promise resolves. */
  readonly pause?: () => Promise<unknown>;
}

/** Runs calls in a queue, one of each client in turn. `work` receives the rest of `waitMs`. Rejects with TooManyWaiting. */
export function createQueue({ atOnce = 1, most, mostPerClient = most, waitMs, pause }: QueueLimits) {
  /** The calls that wait while `atOnce` run, by client, in the order of the clients' turns. */
  const waiting = new Map<string, (() => void)[]>();
  const counts = new Map<string, number>();
  let total = 0;
  let running = 0;

  function add(client: string, by: 1 | -1): void {
    const count = (counts.get(client) ?? 0) + by;
    if (count === 0) counts.delete(client);
    else counts.set(client, count);
    total += by;
  }

  function setWaiting(client: string, calls: (() => void)[]): void {
    if (calls.length > 0) waiting.set(client, calls);
    else waiting.delete(client);
  }

  return <T>(client: string, work: (leftMs: number) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const refuse = () => reject(new TooManyWaiting());
      if (total >= most || (counts.get(client) ?? 0) >= mostPerClient) return refuse();
      add(client, 1);
      const start = async (leftMs = 0) => {
        running += 1;
        // No longer counts once its caller continues, who may make the next call at once.
        await work(leftMs)
          .finally(() => add(client, -1))
          .then(resolve, reject);
        await pause?.();
        running -= 1;
        const [[nextClient, [next, ...later]] = ['', []]] = waiting;
        // A client that has had its turn comes after the others.
        waiting.delete(nextClient);
        setWaiting(nextClient, later);
        next?.();
      };
      if (running < atOnce) return void start(waitMs);
      const begun = performance.now();
      const call = () => {
        clearTimeout(timer);
        void start(waitMs && Math.max(0, waitMs - (performance.now() - begun)));
      };
      const expire = () => {
        setWaiting(client, waiting.get(client)?.filter((other) => other !== call) ?? []);
        add(client, -1);
        refuse();
      };
      const timer = waitMs === undefined ? undefined : setTimeout(expire, waitMs);
      waiting.set(client, [...(waiting.get(client) ?? []), call]);
    });
}
