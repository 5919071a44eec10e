import { type Problems, SourceError } from '../problems.ts';
import { type Provider, ProviderError, type ProviderName } from '../providers/provider.ts';
import { LIVE_LIMITS } from './plan.ts';

/** The name of a request for messages. After repeated failures a provider gets no more requests for the `topic`. */
interface Subject {
  readonly topic: string;
  readonly name: string;
}

/** Sends one request at a time to each provider, until `signal` aborts. */
export function createProviderQueue(problems: Problems, signal: AbortSignal) {
  const queues = new Map<ProviderName, Promise<unknown>>();
  const topics = new Map<string, { failures: number; disabled: boolean }>();

  async function attempt<Result>(
    provider: Provider,
    { topic, name }: Subject,
    work: () => Promise<Result>,
  ): Promise<Result | null> {
    const key = `${provider.name} ${topic}`;
    const state = topics.get(key) ?? { failures: 0, disabled: false };
    topics.set(key, state);
    throwIfEnded(signal);
    if (state.disabled) return null;
    try {
      const result = await work();
      throwIfEnded(signal);
      state.failures = 0;
      return result;
    } catch (error) {
      throwIfEnded(signal);
      state.failures += 1;
      const refused = error instanceof ProviderError && error.failure === 'refused';
      state.disabled = refused || state.failures >= LIVE_LIMITS.failuresInARow;
      // Only messages of ProviderError are safe to show; others may contain secrets.
      const why =
        error instanceof ProviderError
          ? error.message
          : `${provider.label} could not be read. The next run retries.`;
      const rest = state.disabled ? ` This run requests no more ${topic} from ${provider.label}.` : '';
      problems.note('provider', `${name}: ${why}${rest}`);
      return null;
    }
  }

  /** Runs `work` after the provider's earlier requests. Notes a failure and returns null; throws after an abort. */
  return <Result>(provider: Provider, subject: Subject, work: () => Promise<Result>) => {
    const previous = queues.get(provider.name) ?? Promise.resolve();
    const result = previous.then(() => attempt(provider, subject, work));
    queues.set(
      provider.name,
      result.catch(() => undefined),
    );
    return result;
  };
}

/** Throws SourceError if the run has ended, so that data of unsent requests does not count as missing. */
function throwIfEnded(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new SourceError('The run ended before all providers responded. The next run continues.', {
    cause: signal.reason,
  });
}
