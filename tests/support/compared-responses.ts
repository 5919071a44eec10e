import { Agent } from 'node:http';
import { type Asked, sendRequest } from './send-request.ts';

/** A request below `/rest/v1`. */
export interface Exchange extends Asked {
  /** The path with its query, exactly as sent. */
  path: string;
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
  const prefix = new URL(base).pathname.replace(/\/$/, '');
  return {
    ask: async (exchange) => {
      const asked = { ...exchange, agent, headers: { ...exchange.headers, ...headers } };
      const answer = await sendRequest(base, `${prefix}${exchange.path}`, asked);
      const header = (name: string) => answer.headers[name]?.toString() ?? null;
      return toCompared(answer.status, header, answer.body.toString());
    },
    close: () => agent.destroy(),
  };
}
