import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { ServedProcess } from './served-process.ts';

const LOOKED_EVERY_MS = 100;

export interface Asked {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Result of a request: a response or a connection error, and the server that received it. */
export type Outcome =
  | {
      readonly server: ServedProcess;
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly text: string;
    }
  | { readonly server: ServedProcess; readonly error: string }
  | { readonly server: null; readonly error: string };

/** A minimal load balancer: it sends requests to the ready servers in turn. */
export interface Balancer {
  /** Adds a server. Resolves once the server reports ready. */
  add(server: ServedProcess): Promise<void>;
  remove(server: ServedProcess): void;
  /** True once a server has reported ready. */
  isReady(server: ServedProcess): boolean;
  /**
   * Sends a request to one server. Tries the next server only if the connection was refused, so that no request runs
   * twice.
   */
  ask(asked: Asked): Promise<Outcome>;
  close(): void;
}

interface Upstream {
  readonly server: ServedProcess;
  readonly agent: Agent;
  isReady: boolean;
  isLooking: boolean;
  isTaken: () => void;
}

export function startBalancer(): Balancer {
  const upstreams = new Map<ServedProcess, Upstream>();
  let turn = 0;

  const look = async (upstream: Upstream): Promise<void> => {
    if (upstream.isLooking) return;
    upstream.isLooking = true;
    const looked = await send(upstream, { path: '/readyz?only=server' });
    upstream.isReady = 'status' in looked && looked.status === 200;
    if (upstream.isReady) upstream.isTaken();
    upstream.isLooking = false;
  };
  const looking = setInterval(() => {
    for (const upstream of upstreams.values()) void look(upstream);
  }, LOOKED_EVERY_MS);

  const next = (tried: ReadonlySet<Upstream>): Upstream | undefined => {
    const untried = [...upstreams.values()].filter((each) => !tried.has(each));
    const ready = untried.filter(({ isReady }) => isReady);
    // If no server is ready, balancers try the others.
    const candidates = ready.length > 0 ? ready : untried;
    turn += 1;
    return candidates[turn % candidates.length];
  };

  return {
    add: (server) =>
      new Promise((isTaken) => {
        const agent = new Agent({ keepAlive: true });
        upstreams.set(server, { server, agent, isReady: false, isLooking: false, isTaken });
      }),
    remove: (server) => {
      upstreams.get(server)?.agent.destroy();
      upstreams.delete(server);
    },
    isReady: (server) => upstreams.get(server)?.isReady === true,
    async ask(asked) {
      const tried = new Set<Upstream>();
      for (let upstream = next(tried); upstream !== undefined; upstream = next(tried)) {
        const outcome = await send(upstream, asked);
        if (!('error' in outcome) || outcome.error !== 'ECONNREFUSED') return outcome;
        upstream.isReady = false;
        tried.add(upstream);
      }
      return { server: null, error: 'nobody listens' };
    },
    close() {
      clearInterval(looking);
      for (const { agent } of upstreams.values()) agent.destroy();
    },
  };
}

function send(
  { server, agent }: Upstream,
  { method = 'GET', path, headers = {}, body }: Asked,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve({ server, error: error.code ?? error.message });
    const asking = request(`${server.url}${path}`, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ server, status, headers: answered, text: Buffer.concat(chunks).toString() });
      });
    });
    asking.on('error', fail);
    asking.end(body);
  });
}
