import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { RemoteReply, RemoteRequest } from './protocol.ts';

/** One side of a connection between two processes. Messages arrive in the order they were sent. */
export interface Channel<Sent, Heard> {
  send(message: Sent): void;
  onMessage(listener: (message: Heard) => void): void;
  /** Calls back once, when the connection has ended on either side. */
  onClose(listener: () => void): void;
  close(): void;
}

export type ServingChannel = Channel<RemoteReply, RemoteRequest>;
export type AskingChannel = Channel<RemoteRequest, RemoteReply>;

/** Bytes of the length in front of each message. */
const HEADER = 4;
/** No message of this protocol is longer; a longer one is not of this protocol (bytes). */
const LONGEST_MESSAGE = 512 * 1024 * 1024;

/** Collects the chunks of a stream and returns each complete message in turn. */
function messageReader(): (chunk: Buffer) => Buffer[] | null {
  let chunks: Buffer[] = [];
  let received = 0;
  /** Bytes to wait for before the chunks are looked at again. */
  let wanted = HEADER;
  return (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (received < wanted) return [];
    let rest = Buffer.concat(chunks);
    const messages: Buffer[] = [];
    for (;;) {
      const length = rest.length < HEADER ? null : rest.readUInt32BE(0);
      if (length !== null && length > LONGEST_MESSAGE) return null;
      wanted = HEADER + (length ?? 0);
      if (length === null || rest.length < wanted) break;
      messages.push(rest.subarray(HEADER, wanted));
      rest = rest.subarray(wanted);
    }
    chunks = [rest];
    received = rest.length;
    return messages;
  };
}

/** A channel over a connected socket. Data that is no message of this protocol closes it. */
export function socketChannel<Sent, Heard>(socket: Socket): Channel<Sent, Heard> {
  const read = messageReader();
  // A connection that breaks is closed too, and `onClose` reports that.
  socket.on('error', () => undefined);
  return {
    send(message) {
      const body = serialize(message);
      const header = Buffer.allocUnsafe(HEADER);
      header.writeUInt32BE(body.length);
      socket.cork();
      socket.write(header);
      socket.write(body);
      socket.uncork();
    },
    onMessage(listener) {
      socket.on('data', (chunk: Buffer) => {
        try {
          const messages = read(chunk);
          if (messages === null) socket.destroy();
          else for (const message of messages) listener(deserialize(message) as Heard);
        } catch {
          socket.destroy();
        }
      });
    },
    onClose(listener) {
      if (socket.destroyed) listener();
      else socket.once('close', listener);
    },
    close: () => socket.destroy(),
  };
}
