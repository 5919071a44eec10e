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
  /** Gets each connection after the reply of a holder. It carries `RemoteRequest`s if the other process wants the database. */
  onClient(socket: Socket): void;
}

/**
 * State of the process behind a socket: its reply; 'dead' if nobody listens, which is final; 'gone' if it
 * ended meanwhile; 'silent' if it lives but did not reply in time; 'foreign' if another user started it.
 */
export type LockState = LockReply | 'dead' | 'gone' | 'silent' | 'foreign';

/** Requests the reply. */
const REQUEST = '\n';

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
    socket.once('data', () => {
      const state = reply();
      const line = `${JSON.stringify(state)}\n`;
      if (state.state === 'contends') {
        socket.end(line);
        return;
      }
      // What follows waits for its reader.
      socket.pause().setTimeout(0, endIdle).write(line);
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

/** Contacts the process behind a socket of the folder, as `contact` does. */
export async function contactInFolder(folder: string, name: string, keep?: Keep): Promise<LockState> {
  const { path, release } = shortPath(folder);
  try {
    return await contact(join(path, name), keep);
  } finally {
    release();
  }
}

/** Gets the open connection to a holder, ready for `RemoteRequest`s. */
export type Keep = (socket: Socket) => void;

/** Contacts the process behind a socket or a named pipe. Closes the connection unless `keep` gets it. */
export function contact(path: string, keep: Keep = (socket) => socket.destroy()): Promise<LockState> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(REQUEST));
    const end = (state: LockState): void => {
      clearTimeout(timer);
      socket.off('data', read).off('end', readEnd);
      if (isHolder(state)) keep(socket.pause());
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

const isHolder = (state: LockState): boolean => typeof state !== 'string' && state.state === 'holds';

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
