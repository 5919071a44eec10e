import type { FearGreedRow } from './fear-greed-index.ts';
import { toDay, toFields, toPercentage } from './parse.ts';

/**
 * A row of the view `fear_greed_sessions`: the seven components at the end of a session, each 0–100; null for a missing
 * component.
 */
export interface FearGreedSessionRow
  extends Pick<
    FearGreedRow,
    | 'market_momentum'
    | 'stock_price_strength'
    | 'stock_price_breadth'
    | 'put_call_options'
    | 'junk_bond_demand'
    | 'market_volatility'
    | 'safe_haven_demand'
  > {
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
  return {
    session,
    market_momentum: toPercentage(fields.market_momentum),
    stock_price_strength: toPercentage(fields.stock_price_strength),
    stock_price_breadth: toPercentage(fields.stock_price_breadth),
    put_call_options: toPercentage(fields.put_call_options),
    junk_bond_demand: toPercentage(fields.junk_bond_demand),
    market_volatility: toPercentage(fields.market_volatility),
    safe_haven_demand: toPercentage(fields.safe_haven_demand),
  };
}
