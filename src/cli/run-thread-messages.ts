import type { AskedInVain } from '#collector/live/run.ts';
import type { Progress } from '#collector/progress.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import { receivedError, type SentError, sentError } from '#database/remote/errors.ts';
import type { RemoteDatabase } from '#database/remote/messages.ts';
import { LeaseHeld } from '#server/jobs/lease.ts';
import type { FlagValues } from './command.ts';
import type { RunTask } from './run-job.ts';

/** What the thread of a run is started with. */
export interface ThreadTask {
  readonly task: RunTask;
  /** What chooses the source, with the environment. */
  readonly flags: FlagValues;
  readonly inVain: AskedInVain;
  readonly by: string;
  readonly remote: RemoteDatabase;
}

/** Why a run under way is to end. */
export interface StopRun {
  readonly reason: SentError;
}

/** What a thread says of its run; `done` and `failed` are its last words. */
export type ThreadWord =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'calls'; readonly calls: readonly ProviderCalls[] }
  | { readonly kind: 'done'; readonly report: RunReport | null; readonly inVain: AskedInVain }
  | { readonly kind: 'failed'; readonly error: SentRunError; readonly inVain: AskedInVain };

type SentRunError = SentError | { readonly kind: 'held'; readonly held: LeaseHeld['held'] };

export function sentRunError(error: unknown): SentRunError {
  return error instanceof LeaseHeld ? { kind: 'held', held: error.held } : sentError(error);
}

export function receivedRunError(sent: SentRunError): Error {
  return sent.kind === 'held' ? new LeaseHeld(sent.held) : receivedError(sent);
}
