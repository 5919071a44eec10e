import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, renameSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';

/** Reply of a process that listens in the lock folder. */
export interface LockReply {
  /** A process that contends wants the lock; a process that holds has it. */
  readonly state: 'contends' | 'holds';
  /** Process id in the PID namespace of the process. */
  readonly pid: number;
  /** Name of the process's host or container. */
  readonly host: string;
}

/** A process that wants the lock, or has it. */
export interface LockServer {
  isHolder(): boolean;
  /** Receives each connection to the process that has the lock. The reply was sent, and the connection is paused. */
  onClient(socket: Socket): void;
}

/**
 * The reply of the process that listens on a socket. Without a reply, the reason: 'dead' if no process listens on the
 * socket and none ever will; 'gone' if the process has just ended; 'silent' if it runs but did not reply in time;
 * 'foreign' if it belongs to another user.
 */
export type LockState = LockReply | 'dead' | 'gone' | 'silent' | 'foreign';

/** Message that requests a `LockReply`. */
const REQUEST = '\n';

/**
 * Time (ms) to wait for a reply. A process that does not reply counts as running, because it may be suspended or busy.
 */
const REPLY_MS = 5_000;
/** Longest path of a socket (bytes): `sun_path` without its final NUL. Node truncates longer paths silently. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;
const NAME = /^[0-9a-f]{16}$/;
/** Length of "/." followed by the name of a socket (bytes). */
const NAME_LENGTH = 18;

/** True for the name of a visible socket. A hidden socket has another form of name and may not listen yet. */
export const isSocketName = (name: string): boolean => NAME.test(name);

/** Returns a path to the folder that is short enough for a socket. The caller must call `release`. */
function shortPath(folder: string): { path: string; release: () => void } {
  const isShort = Buffer.byteLength(folder) + NAME_LENGTH <= LONGEST_PATH;
  if (isShort) return { path: folder, release: () => undefined };
  if (process.platform !== 'linux') {
    throw new DatabaseUnavailable(
      'misconfigured',
      `The path ${folder} is too long for a socket. Set BAROMETER_DATA_DIR to a folder with a shorter path.`,
    );
  }
  const file = openSync(folder, 'r');
  return { path: `/proc/self/fd/${file}`, release: () => closeSync(file) };
}

/** Listens on a socket or a named pipe without keeping the process alive. */
export async function listen(path: string, { isHolder, onClient }: LockServer): Promise<Server> {
  const server = createServer((socket) => {
    socket.unref();
    const endIdle = () => socket.destroy();
    socket.setTimeout(REPLY_MS, endIdle);
    // The error of a client that disconnects has no effect, except that the client gets no reply.
    socket.on('error', () => undefined);
    // Never writes before a request arrives: on Windows, other users can read from a named pipe, but not
    // write to it.
    socket.once('data', () => {
      const state = isHolder() ? 'holds' : 'contends';
      const reply: LockReply = { state, pid: process.pid, host: hostname() };
      const line = `${JSON.stringify(reply)}\n`;
      if (state === 'contends') {
        socket.end(line);
        return;
      }
      socket.pause().setTimeout(0, endIdle).write(line);
      onClient(socket);
    });
  });
  server.unref();
  server.listen(path);
  await once(server, 'listening');
  // If the process has no free file descriptor, it does not accept the connection, and the client times out.
  server.on('error', () => undefined);
  return server;
}

/**
 * Listens on a new socket in the folder, private to its user, and returns its name. The socket becomes visible once it
 * listens, so a visible socket that refuses a connection belongs to a dead process.
 */
export async function listenInFolder(
  folder: string,
  service: LockServer,
): Promise<{ name: string; server: Server }> {
  const name = randomBytes(8).toString('hex');
  const { path, release } = shortPath(folder);
  let server: Server | undefined;
  try {
    const hidden = join(path, `.${name}`);
    server = await listen(hidden, service);
    chmodSync(hidden, 0o600);
    renameSync(hidden, join(path, name));
    return { name, server };
  } catch (error) {
    server?.close();
    throw error;
  } finally {
    release();
  }
}

/** Contacts a socket in the folder in the same way as `contact`. */
export async function contactInFolder(folder: string, name: string, keep?: Keep): Promise<LockState> {
  const { path, release } = shortPath(folder);
  try {
    return await contact(join(path, name), keep);
  } finally {
    release();
  }
}

/** Receives the open, paused connection to the process that has the lock. */
export type Keep = (socket: Socket) => void;

/**
 * Connects to the process that listens on a socket or a named pipe, and returns its reply. If the process has the lock,
 * passes the connection to `keep`; otherwise closes the connection.
 */
export function contact(path: string, keep: Keep = (socket) => socket.destroy()): Promise<LockState> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(REQUEST));
    const end = (state: LockState): void => {
      clearTimeout(timer);
      socket.off('data', read).off('end', readEnd);
      if (isReplyOfHolder(state)) keep(socket.pause());
      else socket.destroy();
      resolve(state);
    };
    const timer = setTimeout(end, REPLY_MS, 'silent' as const);
    const readEnd = () => end(parseReply(text));
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('\n')) readEnd();
    };
    socket.on('data', read).on('end', readEnd);
    socket.on('error', (error) => end(stateOf(error)));
  });
}

const isReplyOfHolder = (state: LockState): boolean => typeof state !== 'string' && state.state === 'holds';

function parseReply(text: string): LockState {
  try {
    return JSON.parse(text) as LockReply;
  } catch {
    // The other process ended during its reply.
    return 'gone';
  }
}

function stateOf({ code }: NodeJS.ErrnoException): LockState {
  switch (code) {
    case 'ECONNREFUSED':
      return 'dead';
    case 'ENOENT':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'gone';
    case 'EACCES':
    case 'EPERM':
      return 'foreign';
    // EAGAIN: the queue of connections is full.
    default:
      return 'silent';
  }
}
