import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toDay, toFields, toInstant, toPercentage, toPositive, toWord } from './parse.ts';

/** A row of the view `issued_signals`: the decision of one week. */
export interface IssuedSignalRow {
  /** The Monday of the week, `YYYY-MM-DD`. */
  week: string;
  status: 'issued' | 'withheld';
  /** The reason why the week was withheld, in one plain sentence; null if it was issued. */
  reason: string | null;
  /** ISO instant. */
  decided_at: string;
  /** The session of the rows from which the week was decided; null without rows. */
  session: string | null;
  source: MarketSource | null;
  /** This field and those below are null if the week was withheld. */
  verdict: 'BUY' | 'HOLD' | 'SELL' | null;
  score: number | null;
  range_low: number | null;
  range_high: number | null;
  sp500_close: number | null;
  formula_version: string;
}

export const ISSUED_SIGNAL_COLUMNS =
  'week,status,reason,decided_at,session,source,verdict,score,range_low,range_high,sp500_close,formula_version';

/** The row in an untrusted value; null without a week, a status, an instant or a formula. */
export function parseIssuedSignal(value: unknown): IssuedSignalRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const week = toDay(fields.week);
  const status = toWord(['issued', 'withheld'] as const, fields.status);
  const decided_at = toInstant(fields.decided_at);
  const { reason, formula_version } = fields;
  if (week === null || status === null || decided_at === null || typeof formula_version !== 'string')
    return null;
  return {
    week,
    status,
    reason: typeof reason === 'string' ? reason : null,
    decided_at,
    session: toDay(fields.session),
    source: toWord(MARKET_SOURCES, fields.source),
    verdict: toWord(['BUY', 'HOLD', 'SELL'] as const, fields.verdict),
    score: toPercentage(fields.score),
    range_low: toPercentage(fields.range_low),
    range_high: toPercentage(fields.range_high),
    sp500_close: toPositive(fields.sp500_close),
    formula_version,
  };
}
