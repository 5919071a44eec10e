// Sends requests to a server at a fixed rate, even if it falls behind, in a separate process. Reports the contents of
// the responses.
import { Agent, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync } from 'node:zlib';
import { type Answer, type Batches, batchesOf, type Shows } from './load-responses.ts';
import type { Asked } from './wrk.ts';

export interface LoadedKind extends Asked {
  readonly shows: Shows;
}

export interface LoadSettings {
  url: string;
  /** The kinds of requests, sent in turn. */
  kinds: readonly LoadedKind[];
  perSecond: number;
  seconds: number;
  connections: number;
  /** Start of the load: one second before the first batch (epoch ms). */
  epoch: number;
}

/** All responses; `reasons` has the first few failures. */
export interface LoadFindings {
  answers: readonly Answer[];
  reasons: readonly string[];
}

const FIRST_REASONS = 5;
/** Interval between checks for due requests (ms). */
const TICK = 2;

/** The last response of a kind. */
interface Held {
  tag: string;
  batches: Batches;
}

function decoded(body: Buffer, encoding: string | undefined): string {
  return (encoding === 'br' ? brotliDecompressSync(body) : body).toString();
}

const contentOf = (response: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
  });

/** Runs the whole load. The times of requests do not depend on responses. */
function load({ url, kinds, perSecond, seconds, connections, epoch }: LoadSettings): Promise<LoadFindings> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  const { hostname, port } = new URL(url);
  const held = new Map<LoadedKind, Held>();
  // Cached parsed bodies. Most responses are equal to an earlier one, and parsing takes longer than the request.
  const read = new Map<string, Batches>();
  const answers: Answer[] = [];
  const reasons: string[] = [];

  function batchesIn(kind: LoadedKind, body: Buffer, encoding: string | undefined): Batches {
    const key = `${kind.shows} ${body.toString('latin1')}`;
    const known = read.get(key) ?? batchesOf(kind.shows, decoded(body, encoding), epoch);
    read.set(key, known);
    return known;
  }

  async function ask(kind: LoadedKind, isRevalidating: boolean): Promise<Batches> {
    const holds = held.get(kind);
    const tag = isRevalidating && holds !== undefined ? { 'if-none-match': holds.tag } : {};
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { ...kind.headers, ...tag };
      request({ agent, hostname, port, path: kind.path, headers }, resolve).once('error', reject).end();
    });
    const body = await contentOf(response);
    const { statusCode = 0 } = response;
    if (statusCode === 304 && holds !== undefined && 'if-none-match' in tag) return holds.batches;
    if (statusCode !== 200 && statusCode !== 206) throw new Error(`${statusCode} for ${kind.path}`);
    const batches = batchesIn(kind, body, response.headers['content-encoding']);
    if (response.headers.etag !== undefined) held.set(kind, { tag: response.headers.etag, batches });
    return batches;
  }

  async function answer(at: number, intended: number): Promise<void> {
    const kind = kinds[at % kinds.length];
    if (kind === undefined) return;
    // Every other visitor has a cached copy.
    const isRevalidating = Math.floor(at / kinds.length) % 2 === 1;
    const batches = await ask(kind, isRevalidating).catch((error: unknown) => {
      if (reasons.length < FIRST_REASONS) reasons.push(String(error));
      return null;
    });
    answers.push({ endedAt: Date.now(), latency: performance.now() - intended, batches });
  }

  return new Promise((resolve) => {
    const started = performance.now();
    const running = new Set<Promise<void>>();
    let asked = 0;
    const timer = setInterval(() => {
      const due = Math.min(
        seconds * perSecond,
        Math.floor(((performance.now() - started) / 1000) * perSecond),
      );
      for (; asked < due; asked += 1) {
        const one = answer(asked, started + (asked / perSecond) * 1000).finally(() => running.delete(one));
        running.add(one);
      }
      if (asked < seconds * perSecond) return;
      clearInterval(timer);
      void Promise.all(running).then(() => {
        agent.destroy();
        resolve({ answers, reasons });
      });
    }, TICK);
  });
}

process.once('message', async (settings: LoadSettings) => {
  const findings = await load(settings);
  process.send?.(findings);
});
// End with the parent process.
process.on('disconnect', () => process.exit());
