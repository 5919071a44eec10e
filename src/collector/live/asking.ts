import { type Problems, SourceError } from '../problems.ts';
import type { Provider, ProviderName } from '../providers/provider.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { LIVE_LIMITS } from './limits.ts';

/** What a question is about, for messages; of one `topic` a provider that keeps failing is not asked again. */
export interface Question {
  readonly topic: string;
  readonly what: string;
}

/**
 * Asks a provider once those who asked it before have their answer. Null when it gave nothing, which is noted: a
 * provider that fails costs what it was asked for, never the run. Throws SourceError when the run is over.
 */
export type Ask = <Answer>(
  provider: Provider,
  question: Question,
  work: () => Promise<Answer>,
) => Promise<Answer | null>;

export function createAsking({ problems, signal }: { problems: Problems; signal: AbortSignal }): Ask {
  const turns = new Map<ProviderName, Promise<void>>();
  const topics = new Map<string, { failures: number; leftAlone: boolean }>();

  return async (provider, { topic, what }, work) => {
    const key = `${provider.name} ${topic}`;
    const state = topics.get(key) ?? { failures: 0, leftAlone: false };
    topics.set(key, state);
    const before = turns.get(provider.name);
    const { promise, resolve: done } = withResolver();
    turns.set(provider.name, promise);
    await before;
    try {
      endIfOver(signal);
      if (state.leftAlone) return null;
      const answer = await work();
      endIfOver(signal);
      state.failures = 0;
      return answer;
    } catch (error) {
      endIfOver(signal);
      state.failures += 1;
      const refused = error instanceof ProviderError && error.failure === 'refused';
      state.leftAlone = refused || state.failures >= LIVE_LIMITS.failuresInARow;
      // Only a provider's own errors are written to be read; others may carry what must not be shown.
      const why = error instanceof ProviderError ? error.message : `${provider.label} could not be read.`;
      const rest = state.leftAlone ? ` ${provider.label} is not asked for ${topic} again in this run.` : '';
      problems.note('provider', `${what}: ${why}${rest}`);
      return null;
    } finally {
      done();
    }
  };
}

/** Throws SourceError when the run is to end: what is not read by then must not pass for missing. */
export function endIfOver(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new SourceError('The run was ended before the providers had answered; the next one goes on.', {
      cause: signal.reason,
    });
  }
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
