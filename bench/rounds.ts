import type { AtEnd } from './ends.ts';
import { median } from './median.ts';
import { type Answered, type Asked, numbered, runWrk, writeScript } from './wrk.ts';

const CONNECTIONS = { same: 32, numbered: 16 } as const;
const ROUNDS = 3;
const SECONDS = 2;

/** A server under load: its name, address, key, and the path of its tables. */
export interface Server {
  readonly name: string;
  readonly url: string;
  readonly apikey: string;
  readonly prefix: string;
}

/** A kind of request, to one server or to all. */
export interface Kind {
  readonly name: string;
  readonly asked: readonly Asked[];
  /** True to end each request with another number. `asked` then has a single path. */
  readonly isNumbered?: boolean;
}

/** Returns the request with the path prefix and the key of a server. */
export const askedAt = ({ path, headers }: Asked, { prefix, apikey }: Server): Asked => ({
  path: `${prefix}${path}`,
  headers: { ...headers, apikey },
});

/** Returns the kind of request with the path prefix and the key of a server. */
export const kindAt = ({ asked, ...kind }: Kind, server: Server): Kind => ({
  ...kind,
  asked: asked.map((each) => askedAt(each, server)),
});

/** Loads a server with a kind of request. Throws if a request fails. */
export type Run = (server: Server, kind: Kind) => Promise<Answered>;

/** Returns a function that runs loads. It stores their scripts in `folder`. */
export function runner(folder: string, atEnd: AtEnd): Run {
  let scripts = 0;
  return async ({ name, url }, kind) => {
    scripts += 1;
    const [first] = kind.asked;
    const more = kind.isNumbered && first !== undefined ? numbered(first) : undefined;
    const script = writeScript(folder, `requests-${scripts}`, kind.asked, more);
    const connections = kind.isNumbered ? CONNECTIONS.numbered : CONNECTIONS.same;
    const answered = await runWrk({ url, connections, seconds: SECONDS, script }, atEnd);
    if (answered.failed > 0) throw new Error(`${name} failed ${answered.failed} requests: ${kind.name}.`);
    return answered;
  };
}

/** The medians of rounds that measure each server once, so that a change of the machine's speed affects all equally. */
export async function inTurn<T>(
  each: readonly T[],
  measure: (one: T) => Promise<Answered>,
): Promise<Map<T, Answered>> {
  const rounds = new Map(each.map((one) => [one, [] as Answered[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [one, answers] of rounds) answers.push(await measure(one));
  }
  const middle = (answers: Answered[], of: keyof Answered) => median(answers.map((answered) => answered[of]));
  return new Map(
    [...rounds].map(([one, answers]) => [
      one,
      {
        requests: middle(answers, 'requests'),
        perSecond: middle(answers, 'perSecond'),
        p50: middle(answers, 'p50'),
        p99: middle(answers, 'p99'),
        failed: 0,
      },
    ]),
  );
}
