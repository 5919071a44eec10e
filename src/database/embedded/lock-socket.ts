import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, renameSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';

/** Response of a process that listens in the lock folder. */
export interface LockReply {
  /** A contender has not yet opened the database; a holder has. */
  readonly state: 'contends' | 'holds';
  /** Process id in its own PID namespace, and the name of its host or container. */
  readonly pid: number;
  readonly host: string;
}

/** Behaviour of a process that listens in the lock folder. */
export interface LockServer {
  reply(): LockReply;
  /** Gets a connection that asks for the database itself. */
  onClient(socket: Socket): void;
}

/**
 * State of the process behind a socket: its reply; 'dead' if nobody listens, which is final; 'gone' if it
 * ended meanwhile; 'silent' if it lives but did not reply in time; 'foreign' if another user started it.
 */
export type LockState = LockReply | 'dead' | 'gone' | 'silent' | 'foreign';

/** The two requests of a connection. A reply to the first one ends it; after the second it carries `RemoteAsk`s. */
const STATE_REQUEST = 'state\n';
const DATABASE_REQUEST = 'database\n';

/** A stopped or busy process that does not reply within this time counts as alive (ms). */
const REPLY_MS = 5_000;
/** Longest path of a socket (bytes): `sun_path` without its final NUL. Node cuts a longer one silently. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;
const NAME = /^[0-9a-f]{16}$/;
/** Bytes of "/." and a name. */
const NAME_LENGTH = 18;

/** True for the name of a socket that listens or has listened; false while it is being made. */
export const isSocketName = (name: string): boolean => NAME.test(name);

/** A path to the folder that leaves room for the name of a socket, and how to release it. */
function shortPath(folder: string): { path: string; release: () => void } {
  const isShort = Buffer.byteLength(folder) + NAME_LENGTH <= LONGEST_PATH;
  if (isShort) return { path: folder, release: () => undefined };
  if (process.platform !== 'linux') {
    throw new DatabaseUnavailable(
      'misconfigured',
      `The path ${folder} is too long for a socket: set BAROMETER_DATA_DIR to a folder with a shorter path.`,
    );
  }
  const file = openSync(folder, 'r');
  return { path: `/proc/self/fd/${file}`, release: () => closeSync(file) };
}

/** Serves a socket or a named pipe; does not keep the process alive. */
export async function listen(path: string, { reply, onClient }: LockServer): Promise<Server> {
  const server = createServer((socket) => {
    socket.unref();
    const endIdle = () => socket.destroy();
    socket.setTimeout(REPLY_MS, endIdle);
    // A client that leaves early loses its own reply only.
    socket.on('error', () => undefined);
    // Not before a request: on Windows, other users may read from a named pipe, but not write to it.
    socket.once('data', (request) => {
      if (request.toString('latin1') !== DATABASE_REQUEST) {
        socket.end(JSON.stringify(reply()));
        return;
      }
      socket.setTimeout(0, endIdle).write(DATABASE_REQUEST);
      onClient(socket);
    });
  });
  server.unref();
  server.listen(path);
  await once(server, 'listening');
  // A connection that cannot be accepted (no file descriptor is free) times out at its client.
  server.on('error', () => undefined);
  return server;
}

/**
 * Listens on a new socket in the folder, readable by its user only, and returns its name. The name becomes
 * visible once the socket listens, so a visible socket that refuses a connection belongs to a dead process.
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

/** Asks the process behind a socket of the folder. */
export async function askInFolder(folder: string, name: string): Promise<LockState> {
  const { path, release } = shortPath(folder);
  try {
    return await ask(join(path, name));
  } finally {
    release();
  }
}

/** Connects to the database behind a socket of the folder; null if the process ends first or does not respond. */
export async function connectInFolder(folder: string, name: string): Promise<Socket | null> {
  const { path, release } = shortPath(folder);
  try {
    return await connectTo(join(path, name));
  } finally {
    release();
  }
}

/** Connects to the database behind a socket or a named pipe; null as for `connectInFolder`. */
export function connectTo(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path, () => socket.write(DATABASE_REQUEST));
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(null);
    };
    const timer = setTimeout(end, REPLY_MS);
    socket.once('error', end).once('close', end);
    // The process confirms the request, and then waits for messages.
    socket.once('data', () => {
      clearTimeout(timer);
      socket.off('error', end).off('close', end);
      resolve(socket);
    });
  });
}

/** Asks the process behind a socket or a named pipe. */
export function ask(path: string): Promise<LockState> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(STATE_REQUEST));
    const end = (state: LockState): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(state);
    };
    const timer = setTimeout(end, REPLY_MS, 'silent' as const);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => end(parseReply(text)));
    socket.on('error', (error) => end(stateOf(error)));
  });
}

function parseReply(text: string): LockState {
  try {
    return JSON.parse(text) as LockReply;
  } catch {
    // It ended while it replied.
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
    // EAGAIN: its queue of connections is full.
    default:
      return 'silent';
  }
}
