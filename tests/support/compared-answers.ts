import { Agent, request } from 'node:http';

/** A request below `/rest/v1`. */
export interface Exchange {
  method?: string;
  /** With its query, as it goes out. */
  path: string;
  /** Several values are several headers. */
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What of an answer has to be the same, whoever gives it. */
export interface Compared {
  status: number;
  headers: Record<string, string | null>;
  body: string;
}

const EXPOSED = 'access-control-expose-headers';
const COMPARED = [
  'content-type',
  'content-range',
  'content-location',
  'content-profile',
  'preference-applied',
  'location',
  'www-authenticate',
  'access-control-allow-origin',
  EXPOSED,
];

/** What the gate shows to other origins beside what PostgREST does: the headers of its answers that PostgREST has not. */
const SHOWN_AS_WELL = ', Age, ETag, Retry-After';

/** An answer without what need not be the same. `header` is null for one that is not there. */
export function toCompared(status: number, header: (name: string) => string | null, body: string): Compared {
  const compared = COMPARED.map((name) => [name, header(name)]);
  // PostgREST sends the content type of a failed single row twice, the second time rightly.
  const type = header('content-type')?.split(', ').at(-1) ?? null;
  const shown = header(EXPOSED)?.replace(SHOWN_AS_WELL, '') ?? null;
  return {
    status,
    headers: { ...Object.fromEntries(compared), 'content-type': type, [EXPOSED]: shown },
    body,
  };
}

export interface Asker {
  /** Asks over one of a few connections that are kept. The path goes out exactly as written, unlike fetch's. */
  ask(exchange: Exchange): Promise<Compared>;
  close(): void;
}

/** Asks a server whose tables are below `base`, with `headers` beside those of each request. */
export function createAsker(base: string, { headers = {}, connections = 4 } = {}): Asker {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port, pathname } = new URL(base);
  const prefix = pathname.replace(/\/$/, '');
  const ask: Asker['ask'] = (exchange) =>
    new Promise((resolve, reject) => {
      const options = {
        agent,
        hostname,
        port,
        path: `${prefix}${exchange.path}`,
        method: exchange.method ?? 'GET',
        headers: { ...exchange.headers, ...headers },
      };
      const asked = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const given = response.headersDistinct;
          const header = (name: string) => given[name]?.join(', ') ?? null;
          resolve(toCompared(response.statusCode ?? 0, header, Buffer.concat(chunks).toString()));
        });
      });
      asked.on('error', reject);
      asked.end(exchange.body);
    });
  return { ask, close: () => agent.destroy() };
}
