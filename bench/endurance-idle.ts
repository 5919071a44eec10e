import { Agent, request } from 'node:http';
import type { AtEnd } from './ends.ts';

/** The server closes a connection that is idle for a minute. */
const BETWEEN_MS = 30_000;
const AT_ONCE = 50;

export interface IdleConnections {
  /** Number of the connections opened at the start that are still open. */
  held(): number;
  /** Sends one more request over each connection. Returns the number of responses. */
  askAll(): Promise<number>;
}

/** Opens connections, sends a request over each, and keeps them open by a short request every half minute. */
export async function holdIdle(url: string, count: number, atEnd: AtEnd): Promise<IdleConnections> {
  const agents = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ports = new Map<Agent, number>();
  const lost = new Set<Agent>();

  const ask = (agent: Agent) =>
    new Promise<boolean>((resolve) => {
      request(`${url}/healthz`, { agent }, (response) => {
        const port = response.socket.localPort ?? 0;
        // A changed port shows that a new connection has replaced a lost one.
        if ((ports.get(agent) ?? port) !== port) lost.add(agent);
        ports.set(agent, port);
        response.resume().once('end', () => resolve(response.statusCode === 200 && !lost.has(agent)));
      })
        .once('error', () => {
          lost.add(agent);
          resolve(false);
        })
        .end();
    });

  async function askAll(): Promise<number> {
    let answered = 0;
    for (let at = 0; at < agents.length; at += AT_ONCE) {
      const some = await Promise.all(agents.slice(at, at + AT_ONCE).map(ask));
      answered += some.filter(Boolean).length;
    }
    return answered;
  }

  const first = await askAll();
  if (first !== count) throw new Error(`Only ${first} of ${count} connections got a response.`);
  const keeping = setInterval(() => void askAll(), BETWEEN_MS);
  atEnd(() => {
    clearInterval(keeping);
    for (const agent of agents) agent.destroy();
  });
  return {
    held: () => count - lost.size,
    askAll() {
      clearInterval(keeping);
      return askAll();
    },
  };
}
