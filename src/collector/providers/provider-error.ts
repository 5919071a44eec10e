import type { ProviderName } from './provider.ts';

/** Why a provider gave nothing. The first four may pass and are tried again; the others will not by waiting. */
export const PROVIDER_FAILURES = [
  'timeout',
  'network',
  'rate limited',
  'server error',
  'refused',
  'unreadable',
  'empty',
  'outdated',
] as const;
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number];

/** A provider gave nothing that can be used; the message is one plain sentence without key or query. */
export class ProviderError extends Error {
  readonly provider: ProviderName;
  readonly failure: ProviderFailure;
  /** The HTTP status, where there was an answer. */
  readonly status: number | null;

  constructor(
    provider: ProviderName,
    failure: ProviderFailure,
    message: string,
    { status = null, ...options }: ErrorOptions & { status?: number | null } = {},
  ) {
    super(message, options);
    this.name = 'ProviderError';
    this.provider = provider;
    this.failure = failure;
    this.status = status;
  }
}
