import { connect } from 'node:net';

/** A response as received from the network. */
export interface RawAnswer {
  readonly status: number;
  /** Header names in lower case, in order of arrival, including repeated names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The complete head. */
  readonly head: string;
  readonly body: Buffer;
}

const END_OF_HEAD = '\r\n\r\n';
const BODILESS = new Set([204, 304]);

export const headerOf = ({ headers }: RawAnswer, name: string): string | undefined =>
  headers.find(([given]) => given === name)?.[1];

/** Reads a chunked body. Returns its end as well; null while it is incomplete. */
function readChunked(received: Buffer, from: number): { body: Buffer; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const line = received.indexOf('\r\n', at);
    if (line < 0) return null;
    const length = Number.parseInt(received.subarray(at, line).toString('latin1'), 16);
    const end = line + 2 + length + 2;
    if (received.length < end) return null;
    if (length === 0) return { body: Buffer.concat(chunks), end };
    chunks.push(received.subarray(line + 2, line + 2 + length));
    at = end;
  }
}

/** The complete response that begins at `at`, and its end; null while it is incomplete. */
function readAnswer(received: Buffer, at: number, method: string): { answer: RawAnswer; end: number } | null {
  const endOfHead = received.indexOf(END_OF_HEAD, at);
  if (endOfHead < 0) return null;
  const head = received.subarray(at, endOfHead).toString('latin1');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
  const firstOf = (name: string) => headers.find(([given]) => given === name)?.[1];
  const start = endOfHead + END_OF_HEAD.length;
  const whole = (body: Buffer, end: number) => ({ answer: { status, headers, head, body }, end });
  if (method === 'HEAD' || BODILESS.has(status) || status < 200) return whole(Buffer.alloc(0), start);
  if (firstOf('transfer-encoding') === 'chunked') {
    const chunked = readChunked(received, start);
    return chunked && whole(chunked.body, chunked.end);
  }
  const end = start + Number(firstOf('content-length') ?? 0);
  return received.length < end ? null : whole(received.subarray(start, end), end);
}

/** The complete responses at the start of the received bytes; `methods` are those of the requests, GET by default. */
export function readAnswers(received: Buffer, methods: readonly string[] = []): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < received.length; ) {
    const read = readAnswer(received, at, methods[answers.length] ?? 'GET');
    if (read === null) break;
    // A 1xx status is no final response.
    if (read.answer.status >= 200) answers.push(read.answer);
    at = read.end;
  }
  return answers;
}

export interface Exchange {
  /** Number of responses after which the client closes the connection; by default the server has to close it. */
  readonly answers?: number;
  /** Methods of the requests; required if one of them is HEAD. */
  readonly methods?: readonly string[];
  /** Sends the bytes in segments of the given size. */
  readonly segment?: number;
}

export interface Exchanged {
  readonly answers: RawAnswer[];
  /** True if the server closed the connection. */
  readonly isEnded: boolean;
}

/** Sends bytes unchanged over a new connection. Returns everything received until one side closed it. */
export function exchange(
  url: string,
  bytes: string | Buffer,
  { answers: wanted = Number.POSITIVE_INFINITY, methods, segment }: Exchange = {},
): Promise<Exchanged> {
  const { hostname, port } = new URL(url);
  const outgoing = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let received = Buffer.alloc(0);
    let isEnded = true;
    const send = (at: number): void => {
      if (segment === undefined || at + segment >= outgoing.length) socket.write(outgoing.subarray(at));
      else socket.write(outgoing.subarray(at, at + segment), () => setImmediate(send, at + segment));
    };
    socket.once('connect', () => send(0));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (wanted === Number.POSITIVE_INFINITY || readAnswers(received, methods).length < wanted) return;
      isEnded = false;
      socket.destroy();
    });
    // A server that refuses a request early resets the connection while the client still sends.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) reject(error);
    });
    socket.once('close', () => resolve({ answers: readAnswers(received, methods), isEnded }));
  });
}

/** The bytes of a request; headers may repeat. */
export function rawRequest(
  method: string,
  target: string,
  headers: readonly (readonly [name: string, value: string])[] = [],
  body?: string,
): string {
  const all = [
    ...(headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', '127.0.0.1'] as const]),
    ...headers,
    ...(body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const]),
  ];
  const lines = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join('\r\n')}${END_OF_HEAD}${Buffer.from(body ?? '').toString('latin1')}`;
}
