import type { ChildProcess } from 'node:child_process';
import type { RemoteReply, RemoteRequest } from './messages.ts';

/** One side of what connects two processes: what is sent on one arrives on the other, in the same order. */
export interface Channel<Sent, Heard> {
  send(message: Sent): void;
  onMessage(listener: (message: Heard) => void): void;
  /** Calls back once, when the other side is gone or this one was closed. */
  onClose(listener: () => void): void;
  close(): void;
}

export type ServingChannel = Channel<RemoteReply, RemoteRequest>;
export type AskingChannel = Channel<RemoteRequest, RemoteReply>;

/** The part of a process's channel that is the database's; others may send other things over it. */
interface Envelope {
  readonly database: never;
}

const isEnvelope = (message: unknown): message is Envelope =>
  typeof message === 'object' && message !== null && 'database' in message;

/** The channel to a child process, or, in the child, to the process that started it. It takes `advanced` serialisation. */
export function processChannel<Sent, Heard>(other: ChildProcess | NodeJS.Process): Channel<Sent, Heard> {
  let hear: (message: unknown) => void = () => undefined;
  let left: () => void = () => undefined;
  const close = () => {
    other.off('message', hear);
    other.off('disconnect', close);
    left();
    left = () => undefined;
  };
  other.on('disconnect', close);
  return {
    // What is sent to a process that has just gone is lost with it.
    send: (message) => other.send?.({ database: message }, undefined, {}, () => undefined),
    onMessage(listener) {
      hear = (message) => {
        if (isEnvelope(message)) listener(message.database);
      };
      other.on('message', hear);
    },
    onClose(listener) {
      left = listener;
    },
    close,
  };
}
