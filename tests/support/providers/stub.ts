import type { StandingFault } from './faults.ts';
import type { StubMarket } from './market.ts';

/** A request as a provider's stub receives it. */
export interface StubRequest {
  url: URL;
  header(name: string): string | undefined;
  /** The provider's clock (epoch ms). */
  now: number;
  fault: StandingFault | null;
}

export interface StubAnswer {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** The response of one provider to a request. */
export type ProviderStub = (request: StubRequest) => StubAnswer;

/** Inputs of all stubs. */
export interface StubWorld {
  market: StubMarket;
  /** The available symbols, as the universe spells them: members and funds. */
  isListed(symbol: string): boolean;
  /** The first day with values. */
  first: string;
}

export function json(value: unknown, status = 200): StubAnswer {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

/** Keys that the stubs accept. */
export const STUB_KEYS = {
  alpaca: { keyId: 'PKSTUBSTUBSTUBSTUB01', secretKey: 'stub-secret-do-not-print-000000000000001' },
  fred: 'abcdef0123456789abcdef0123456789',
} as const;
