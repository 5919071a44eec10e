import { Agent, request } from 'node:http';

/** A request below `/rest/v1`. */
export interface Exchange {
  method?: string;
  /** The path with its query, exactly as sent. */
  path: string;
  /** An array sends the header several times. */
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** The parts of a response that must be equal from the gate and from PostgREST. */
export interface Compared {
  status: number;
  headers: Record<string, string | null>;
  /** The exact body if the request succeeded. For an error, its code, and its message if it comes from Postgres. */
  body: string;
}

const COMPARED = [
  'content-range',
  'content-profile',
  'preference-applied',
  'www-authenticate',
  'access-control-allow-origin',
];

/** Codes of PostgREST 12, which the tests install, and their replacements in newer versions. */
const CURRENT_CODES: Readonly<Record<string, string>> = { '42P01': 'PGRST205' };

function errorOf(body: string): string {
  if (body === '') return '';
  const { code, message } = JSON.parse(body) as { code: string; message: string };
  const current = CURRENT_CODES[code] ?? code;
  return JSON.stringify(current.startsWith('PGRST') ? { code: current } : { code, message });
}

/** The compared parts of a response. `header` returns null for an absent one. */
export function toCompared(status: number, header: (name: string) => string | null, body: string): Compared {
  const isError = status >= 400;
  const names = isError ? COMPARED : ['content-type', ...COMPARED];
  const headers = Object.fromEntries(names.map((name) => [name, header(name)]));
  return { status, headers, body: isError ? errorOf(body) : body };
}

export interface Asker {
  /** Sends a request over one of a few persistent connections. Unlike fetch, it sends the path exactly as written. */
  ask(exchange: Exchange): Promise<Compared>;
  close(): void;
}

/** Sends requests to the tables below `base`, with `headers` added to each. */
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
