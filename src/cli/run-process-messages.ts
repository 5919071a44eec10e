import type { KnownGaps } from '#collector/live/run.ts';
import type { Progress } from '#collector/progress.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import { receivedError, type SentError, sentError } from '#database/remote/errors.ts';
import type { RemoteDatabase } from '#database/remote/messages.ts';
import { LeaseHeld } from '#server/jobs/lease.ts';
import type { FlagValues } from './command.ts';
import type { RunTask } from './run-job.ts';

/** What the process of a run is told to do. */
export interface RunOrder {
  readonly task: RunTask;
  /** What chooses the source, with the environment. */
  readonly flags: FlagValues;
  readonly knownGaps: KnownGaps;
  /** Who it is for whoever is refused meanwhile. */
  readonly holder: string;
  readonly remote: RemoteDatabase;
}

/** What it hears: first its order, then perhaps why it is to end. */
export type RunCommand = { readonly run: RunOrder } | { readonly stop: SentError };

/** What it says of its run; `done` and `failed` are its last words. */
export type RunWord =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'calls'; readonly calls: readonly ProviderCalls[] }
  | { readonly kind: 'done'; readonly report: RunReport | null; readonly knownGaps: KnownGaps }
  | { readonly kind: 'failed'; readonly error: SentRunError; readonly knownGaps: KnownGaps };

type SentRunError = SentError | { readonly kind: 'held'; readonly held: LeaseHeld['held'] };

/** What a run failed with, as it is sent. */
export function sentRunError(error: unknown): SentRunError {
  return error instanceof LeaseHeld ? { kind: 'held', held: error.held } : sentError(error);
}

/** What was sent, made again, of the same class and with the same words. */
export function receivedRunError(sent: SentRunError): Error {
  return sent.kind === 'held' ? new LeaseHeld(sent.held) : receivedError(sent);
}
