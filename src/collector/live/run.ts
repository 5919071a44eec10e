import { lastSessions } from '#domain/calendar/sessions.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import type { SourceRequest } from '../history/source.ts';
import { type ProblemKind, type Problems, SourceError } from '../problems.ts';
import {
  type Bar,
  type HttpClient,
  type Input,
  type Provider,
  ProviderError,
  type ProviderName,
  type SeriesReading,
} from '../providers/provider.ts';
import { LIVE_LIMITS, type PlannedGroup, type Range, targetAt } from './plan.ts';
import { createFetched, groupsOf, type SeriesValue, viewStored } from './run-data.ts';

/** Symbols and days that no provider has, with the session of the run that found this, which ends the requests. */
export type KnownGaps = Map<string, string>;

interface RunContextOptions {
  readonly request: SourceRequest;
  readonly http: HttpClient;
  readonly plan: readonly PlannedGroup[];
  readonly members: readonly Member[];
  /** The name of all members together, such as S&P 500. */
  readonly universe: string;
  readonly knownGaps: KnownGaps;
}

type RunContext = ReturnType<typeof createRunContext>;
/** The context of a run with the stored data. */
export type Run = ReturnType<typeof runOver>;

/**
 * The state and the requests of one run of the live source, one at a time to each provider. A failed request is noted and
 * costs its data, never the run. All fetches throw SourceError once the run's signal aborts.
 */
export function createRunContext(options: RunContextOptions) {
  const { request, http, plan } = options;
  const { now, problems } = request;
  const target = targetAt(now);
  const recent = lastSessions(target.session, LIVE_LIMITS.recentSessions);
  const [firstRecent = target.session] = recent;
  const send = createProviderQueue(problems, request.signal);

  return {
    ...options,
    target,
    /** The providers of the members' bars, in order of preference. */
    barProviders: plan.find(({ mode }) => mode === 'bars')?.providers ?? [],
    /** The sessions that every run fetches, ascending. */
    recent,
    firstRecent,
    /** The recent sessions in which the first provider may correct stored values. */
    corrected: new Set(recent.slice(-LIVE_LIMITS.correctedSessions)),
    /** Data of the recent sessions fetched by this run. */
    fetched: createFetched(),
    /** Symbols and series that this run has backfilled. */
    backfilled: new Set<string>(),
    /** Symbols whose backfill failed. They may have data, so they are not reported as missing. */
    failedSymbols: new Set<string>(),
    /** Days for which this run has already requested a series of that single day. */
    requestedDays: new Set<string>(),

    note: (kind: ProblemKind, message: string) => problems.note(kind, message),

    hasOrigin: (input: Input, session: string) => request.hasOrigin?.(input, session) ?? true,

    /** The last session to request from a provider: an open session only if the provider has the input for it. */
    lastSession: ({ openSessionInputs }: Provider, input: Input) =>
      target.isSettled || openSessionInputs.includes(input) ? target.session : target.newestSettled,

    /** Fetches bars, as many symbols per request as the provider allows. */
    async fetchBars(provider: Provider, symbols: readonly string[], range: Range) {
      const bars: Bar[] = [];
      // Symbols whose requests failed.
      const failed: string[] = [];
      // For each bar of the range's last session: the time up to which it has trades (epoch ms).
      const observedAt: number[] = [];
      for (const part of groupsOf(symbols, provider.symbolsPerRequest ?? symbols.length)) {
        const name = part.length === 1 ? `Bars of ${part[0]}` : `Bars of ${part.length} symbols`;
        const reading = await send(
          provider,
          { topic: 'bars', name },
          async () => provider.readBars?.({ ...range, symbols: part, now, http, problems }) ?? null,
        );
        if (reading === null) {
          failed.push(...part);
          continue;
        }
        for (const bar of reading.bars) {
          bars.push(bar);
          if (bar.session === range.to) observedAt.push(reading.observedAt);
        }
      }
      return { bars, failed, observedAt };
    },

    /** Fetches series; null if the request failed. */
    async fetchSeries(
      provider: Provider,
      series: readonly SeriesName[],
      range: Range,
    ): Promise<readonly SeriesValue[] | null> {
      const topic = series.join(', ').replaceAll('_', ' ');
      const name = range.from === range.to ? `${topic} of ${range.to}` : topic;
      const reading = await send(
        provider,
        { topic, name },
        async (): Promise<SeriesReading> =>
          provider.readSeries?.({ ...range, series, now, http, problems }) ?? new Map(),
      );
      if (reading === null) return null;
      return [...reading].flatMap(([one, values]) =>
        Array.from(values, ([session, value]) => ({ series: one, session, value })),
      );
    },

    /** Fetches the one-minute closes of symbols up to `until` (epoch ms); null if the request failed. */
    fetchMinutes: (provider: Provider, symbols: readonly string[], until: number) =>
      send(
        provider,
        { topic: 'one-minute closes', name: 'One-minute closes' },
        async () => provider.readMinutes?.({ symbols, until, now, http, problems }) ?? null,
      ),
  };
}

/** Adds the stored data to the context of a run: the closed sessions of the market, or null without any. */
export function runOver(context: RunContext, history: MarketHistory | null) {
  const { target, firstRecent, fetched, backfilled, corrected } = context;
  const stored = viewStored(history, target.newestSettled);
  return {
    ...context,
    stored,

    /** True if the value of an item, a symbol or a series, is stored or fetched. */
    has: (item: string, session: string) => fetched.has(item, session) || stored.has(item, session),

    /** True if the first provider's value of an item replaces the stored one, or if none is stored. */
    isTaken: (item: string, session: string) => corrected.has(session) || !stored.has(item, session),

    /** True if the stored values of an item reach the recent sessions; otherwise it needs a backfill. */
    hasRecent: (item: string) => backfilled.has(item) || (stored.newest(item) ?? '') >= firstRecent,
  };
}

/** The name of a request for messages. After repeated failures a provider gets no more requests for the `topic`. */
interface Subject {
  readonly topic: string;
  readonly name: string;
}

/** Sends one request at a time to each provider, until `signal` aborts. */
function createProviderQueue(problems: Problems, signal: AbortSignal) {
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
