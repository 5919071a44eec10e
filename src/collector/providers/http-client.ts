import { backoff, pauseAskedFor } from './backoff.ts';
import { readBody } from './body.ts';
import { createClockOffset } from './clock-offset.ts';
import {
  attemptFailure,
  type DescribedFailure,
  describeFailure,
  isPassing,
  statusFailure,
} from './failures.ts';
import { createPace } from './pace.ts';
import type { ProviderName } from './provider.ts';
import { ProviderError, type ProviderFailure } from './provider-error.ts';
import { withTimeLimit } from './time-limit.ts';

/** What was asked of one provider in a run. */
export interface ProviderCalls {
  readonly provider: ProviderName;
  /** Every attempt counts, also one that is tried again. */
  readonly requests: number;
  readonly retries: number;
  readonly bytes: number;
  /** Attempts that failed, by kind; those tried again successfully are among them. */
  readonly failures: Readonly<Partial<Record<ProviderFailure, number>>>;
}

export interface HttpRequest {
  readonly provider: ProviderName;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are an answer and no failure, beside 2xx: Cboe says 403 of a day it has nothing of. */
  readonly answers?: readonly number[];
  /** The same where only the body tells: whether what came with any other status is an answer. */
  readonly isAnswer?: (answer: HttpAnswer) => boolean;
}

export interface HttpAnswer {
  readonly status: number;
  /** Of the answer's body, as UTF-8. */
  readonly text: string;
}

/**
 * How providers are asked, within one run: with retries, rate limits and the run's deadline. A refusal (401, 403)
 * is final for its endpoint, and so is a fault that has outlasted all attempts twice in a row: what is asked of it
 * later fails at once; calls in vain to one provider take some four minutes at most. When the run's `signal` aborts,
 * every call throws the signal's reason.
 */
export interface HttpClient {
  /** Throws ProviderError. */
  get(request: HttpRequest): Promise<HttpAnswer>;
  /** Reads the answer as JSON; throws ProviderError 'unreadable' where it is none (a page of HTML, cut off). */
  getJson(request: HttpRequest): Promise<unknown>;
  calls(): ProviderCalls[];
  /**
   * By how much a provider's clock is ahead of ours by its Date headers (ms), or the median of all that were asked;
   * null while unknown.
   */
  clockOffset(provider?: ProviderName): number | null;
  /** When a provider last answered (epoch ms, by our clock); null where it did not. */
  answeredAt(provider: ProviderName): number | null;
}

export interface HttpClientOptions {
  readonly fetch: typeof globalThis.fetch;
  /** Epoch ms. */
  readonly now: () => number;
  /** Ends early when the signal aborts, whether by throwing or not. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly userAgent: string;
  /** The run's deadline. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<Record<keyof typeof LIMITS, number>>;
}

const LIMITS = {
  attempts: 4,
  /** ms, of one attempt with its body. */
  attemptTime: 20_000,
  /** Of one answer, unpacked: 10,000 bars are 1.2 MB; reading 32 MB of "{}," takes 1 GB, and seconds of the server. */
  bodyBytes: 4 * 2 ** 20,
  /** ms; a provider that asks for a longer pause is not asked again before it is over. */
  longestPause: 120_000,
  /** ms that calls which come to nothing may take in a run, by provider: what others give has to be done in time. */
  lostTime: 240_000,
} as const;

/** Calls in a row that used up their attempts, after which an endpoint is left alone. */
const CALLS_TO_GIVE_UP = 2;

interface Tally {
  requests: number;
  retries: number;
  bytes: number;
  failures: Partial<Record<ProviderFailure, number>>;
}

/** A refusal or an outage belongs to the folder of a path: `/v8/finance/chart` of every symbol below it. */
function endpointOf({ provider, url }: HttpRequest): string {
  return `${provider} ${url.origin}${url.pathname.slice(0, url.pathname.lastIndexOf('/'))}`;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { fetch, now, sleep, random, userAgent, signal } = options;
  const limits: Record<keyof typeof LIMITS, number> = { ...LIMITS, ...options.limits };
  const tallies = new Map<ProviderName, Tally>();
  const answeredAt = new Map<ProviderName, number>();
  const failuresInARow = new Map<string, number>();
  const closed = new Map<string, ProviderError>();
  /** By calls that came to nothing, ms, and what the last of them failed of. */
  const losses = new Map<ProviderName, { time: number; failed: ProviderError }>();
  const clock = createClockOffset();
  const pace = createPace({ now, wait });

  async function wait(ms: number): Promise<void> {
    signal.throwIfAborted();
    if (ms > 0)
      await sleep(ms, signal).catch((error) => (signal.aborted ? undefined : Promise.reject(error)));
    signal.throwIfAborted();
  }

  function tallyOf(provider: ProviderName): Tally {
    const tally = tallies.get(provider) ?? { requests: 0, retries: 0, bytes: 0, failures: {} };
    tallies.set(provider, tally);
    return tally;
  }

  /** One attempt, which throws ProviderError or what fetch does. */
  async function attempt(request: HttpRequest, tally: Tally, ending: AbortSignal): Promise<HttpAnswer> {
    const { provider, url, headers, answers = [], isAnswer } = request;
    const asked = now();
    tally.requests += 1;
    const response = await fetch(url, {
      headers: { accept: '*/*', 'user-agent': userAgent, ...headers },
      // A key in a header of our own would go along to wherever a redirect leads.
      redirect: 'manual',
      signal: ending,
    });
    clock.observe(provider, response.headers, asked, now());
    const { status, ok } = response;
    const fail = (failure: ProviderFailure, why: DescribedFailure) =>
      new ProviderError(provider, failure, describeFailure(provider, why, status), { status });
    const text = await readBody(response, limits.bodyBytes, (bytes) => {
      tally.bytes += bytes;
    });
    if (text === null) throw fail('unreadable', 'too long');
    if (ok && isPage(response, text)) throw fail('unreadable', 'a page');
    const answer = { status, text };
    if (ok || answers.includes(status) || isAnswer?.(answer) === true) return answer;
    pace.pause(provider, pauseAskedFor(response, now()));
    const failure = statusFailure(status);
    throw fail(failure, failure);
  }

  /** Throws when an endpoint is not to be asked any more in this run. */
  function checkOpen(provider: ProviderName, endpoint: string): void {
    const pause = pace.pauseOf(provider);
    const loss = losses.get(provider);
    const isLost = loss !== undefined && loss.time + pause > limits.lostTime;
    const known = isLost ? loss.failed : closed.get(endpoint);
    if (known !== undefined) {
      throw new ProviderError(provider, known.failure, known.message, { cause: known, status: known.status });
    }
    if (pause > limits.longestPause) {
      throw new ProviderError(provider, 'rate limited', describeFailure(provider, 'rate limited', 429));
    }
  }

  /** Notes a failed attempt of a call that began at `began`; answers whether another makes sense. */
  function mayPass(failed: ProviderError, endpoint: string, attempts: number, began: number): boolean {
    const { provider } = failed;
    const { failures } = tallyOf(provider);
    failures[failed.failure] = (failures[failed.failure] ?? 0) + 1;
    if (failed.status === 401 || failed.status === 403) closed.set(endpoint, failed);
    if (!isPassing(failed.failure)) return false;
    const pause = pace.pauseOf(provider);
    const time = (losses.get(provider)?.time ?? 0) + Math.max(0, now() - began);
    if (attempts < limits.attempts && pause <= limits.longestPause && time + pause <= limits.lostTime)
      return true;
    losses.set(provider, { time, failed });
    const inARow = (failuresInARow.get(endpoint) ?? 0) + 1;
    failuresInARow.set(endpoint, inARow);
    if (inARow >= CALLS_TO_GIVE_UP) closed.set(endpoint, failed);
    return false;
  }

  async function get(request: HttpRequest): Promise<HttpAnswer> {
    const { provider } = request;
    const endpoint = endpointOf(request);
    const tally = tallyOf(provider);
    let began = Number.NaN;
    for (let attempts = 0; ; ) {
      await pace.turn(provider, () => checkOpen(provider, endpoint));
      if (attempts === 0) began = now();
      if (attempts > 0) tally.retries += 1;
      attempts += 1;
      try {
        const answer = await withTimeLimit(limits.attemptTime, signal, (ending) =>
          attempt(request, tally, ending),
        );
        failuresInARow.delete(endpoint);
        answeredAt.set(provider, now());
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        const failed = attemptFailure(provider, error);
        if (!mayPass(failed, endpoint, attempts, began)) throw failed;
        await wait(backoff(attempts, failed.failure, random));
      }
    }
  }

  return {
    get,
    async getJson(request) {
      const { text, status } = await get(request);
      try {
        return JSON.parse(text);
      } catch {
        const { provider } = request;
        const { failures } = tallyOf(provider);
        failures.unreadable = (failures.unreadable ?? 0) + 1;
        throw new ProviderError(provider, 'unreadable', describeFailure(provider, 'no json', status), {
          status,
        });
      }
    },
    calls: () =>
      [...tallies].map(([provider, tally]) => ({ provider, ...tally, failures: { ...tally.failures } })),
    clockOffset: (provider) => clock.offset(provider),
    answeredAt: (provider) => answeredAt.get(provider) ?? null,
  };
}

/** Whether a page of HTML came where data was asked for, as from a login or a block page with status 200. */
function isPage({ headers }: Response, text: string): boolean {
  return (headers.get('content-type') ?? '').includes('text/html') || /^\s*</.test(text.slice(0, 100));
}
