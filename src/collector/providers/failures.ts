import { PROVIDER_LABELS, type ProviderName } from './provider.ts';
import { ProviderError, type ProviderFailure } from './provider-error.ts';

const NEXT_RUN = 'the next run asks again';
const NO_WAY_ROUND = 'if that goes on, leave it out of MARKET_PROVIDERS, for a block is not to be got round';

/** What to do about a refusal. */
const REFUSED = {
  alpaca: 'check ALPACA_KEY_ID and ALPACA_SECRET_KEY',
  yahoo: NO_WAY_ROUND,
  cboe: NO_WAY_ROUND,
  fred: 'check FRED_API_KEY',
  wsj: NO_WAY_ROUND,
} as const satisfies Record<ProviderName, string>;

const PASSING = ['timeout', 'network', 'rate limited', 'server error'] as const satisfies ProviderFailure[];
type PassingFailure = (typeof PASSING)[number];

/** What there is a sentence for. */
export type DescribedFailure = PassingFailure | 'refused' | 'a page' | 'too long' | 'no json';

/** Whether a failure may pass by waiting. */
export function isPassing(failure: ProviderFailure): boolean {
  return (PASSING as readonly ProviderFailure[]).includes(failure);
}

/** What a status that is no answer means. */
export function statusFailure(status: number): PassingFailure | 'refused' {
  if (status === 429) return 'rate limited';
  if (status === 408) return 'timeout';
  return status >= 500 && status <= 599 ? 'server error' : 'refused';
}

/** One plain sentence without address, key or query. */
export function describeFailure(
  provider: ProviderName,
  failure: DescribedFailure,
  detail: number | string,
): string {
  const label = PROVIDER_LABELS[provider];
  switch (failure) {
    case 'timeout':
      return `${label} did not answer in time; ${NEXT_RUN}.`;
    case 'network':
      return `${label} could not be reached${detail === '' ? '' : ` (${detail})`}; check the connection, ${NEXT_RUN}.`;
    case 'rate limited':
      return `${label} asks to be asked less often (${detail}); ${NEXT_RUN}.`;
    case 'server error':
      return `${label} has a fault of its own (${detail}); ${NEXT_RUN}.`;
    case 'refused':
      if (detail === 401 || detail === 403)
        return `${label} refused the request (${detail}); ${REFUSED[provider]}.`;
      return `${label} did not take the request (${detail}); it may have changed, docs/operations.md says what to do.`;
    case 'a page':
      return `${label} answered with a web page instead of data; ${NEXT_RUN}.`;
    case 'too long':
      return `${label} answered with more than can be data; ${NEXT_RUN}.`;
    case 'no json':
      return `${label} answered with something that is no JSON, or is cut off; ${NEXT_RUN}.`;
  }
}

/** What an attempt threw, as a ProviderError: its own, a timeout, or the network's. */
export function attemptFailure(provider: ProviderName, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ProviderError(provider, 'timeout', describeFailure(provider, 'timeout', ''), { cause: error });
  }
  return new ProviderError(provider, 'network', describeFailure(provider, 'network', codeOf(error)), {
    cause: error,
  });
}

/** `ECONNREFUSED`, `ENOTFOUND` … below a failed fetch; empty when it has none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : '';
}
