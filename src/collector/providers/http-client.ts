import type { ProviderName } from './provider.ts';
import type { ProviderFailure } from './provider-error.ts';

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
}

export interface HttpAnswer {
  readonly status: number;
  /** Of the answer's body, as UTF-8. */
  readonly text: string;
}

/** How providers are asked, within one run: with retries, rate limits and the run's deadline. */
export interface HttpClient {
  /** Throws ProviderError. */
  get(request: HttpRequest): Promise<HttpAnswer>;
  /** Reads the answer as JSON; throws ProviderError 'unreadable' where it is none (a page of HTML, cut off). */
  getJson(request: HttpRequest): Promise<unknown>;
  calls(): ProviderCalls[];
  /** By how much the providers' clocks are ahead of ours (ms, the median of their Date headers); null while unknown. */
  clockOffset(): number | null;
}
