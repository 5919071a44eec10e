import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toCount, toDay, toFields, toInstant, toPercentage, toWord } from './parse.ts';

const VERDICTS = ['BUY', 'HOLD', 'SELL'] as const;

/**
 * A row of the view `verdict_changes`: a change of the verdict, after two closing runs in a row had the new verdict.
 */
export interface VerdictChangeRow {
  /** Identifies the change in every channel. */
  id: number;
  /** The session of the second closing run, `YYYY-MM-DD`. */
  session: string;
  /** The time of its publication, ISO instant. */
  at: string;
  from_verdict: 'BUY' | 'HOLD' | 'SELL';
  to_verdict: 'BUY' | 'HOLD' | 'SELL';
  score: number | null;
  source: MarketSource | null;
  formula_version: string;
}

export const VERDICT_CHANGE_COLUMNS = 'id,session,at,from_verdict,to_verdict,score,source,formula_version';

/** The row in an untrusted value; null without an id, a session, an instant, both verdicts or a formula. */
export function parseVerdictChange(value: unknown): VerdictChangeRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const id = toCount(fields.id);
  const session = toDay(fields.session);
  const at = toInstant(fields.at);
  const from_verdict = toWord(VERDICTS, fields.from_verdict);
  const to_verdict = toWord(VERDICTS, fields.to_verdict);
  const { formula_version } = fields;
  if (id === null || session === null || at === null || from_verdict === null || to_verdict === null)
    return null;
  if (typeof formula_version !== 'string') return null;
  const score = toPercentage(fields.score);
  const source = toWord(MARKET_SOURCES, fields.source);
  return { id, session, at, from_verdict, to_verdict, score, source, formula_version };
}
