import { type FearGreedComponents, parseComponents } from './fear-greed-index.ts';
import { toDay, toFields } from './parse.ts';

/**
 * A row of the view `fear_greed_sessions`: the seven components at the end of a session, each 0–100; null for a missing
 * component.
 */
export interface FearGreedSessionRow extends FearGreedComponents {
  /** `YYYY-MM-DD`. */
  session: string;
}

export const FEAR_GREED_SESSION_COLUMNS =
  'session,market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand';

/** The row in an untrusted value; null without a session. */
export function parseFearGreedSession(value: unknown): FearGreedSessionRow | null {
  const fields = toFields(value);
  const session = toDay(fields?.session);
  if (fields === null || session === null) return null;
  return { session, ...parseComponents(fields) };
}
