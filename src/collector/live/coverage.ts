import type { Member } from '#domain/market-history.ts';
import { SourceError } from '../problems.ts';
import { LIVE_LIMITS } from './limits.ts';

/** A session with fewer than this share of the bars of the fullest one lacks too many to measure another by. */
const FULL = 0.5;

/**
 * Throws SourceError unless enough of the members that had a bar of the session before have one of the last of
 * `sessions` (ascending): numbers over half of them would pass for the market's. One without bars, when the
 * exchange stayed shut unannounced, is passed over.
 */
export function checkCoverage(
  members: readonly Member[],
  hasBar: (symbol: string, session: string) => boolean,
  sessions: readonly string[],
): void {
  const membersOn = (session: string) => members.filter(({ symbol }) => hasBar(symbol, session));
  const earlier = sessions.slice(0, -1).map(membersOn);
  const fullest = Math.max(0, ...earlier.map(({ length }) => length));
  if (fullest === 0) {
    throw new SourceError('No provider has any bar of the members; the run says what each answered.');
  }
  const session = sessions.at(-1) ?? '';
  const expected = earlier.findLast(({ length }) => length >= FULL * fullest) ?? [];
  const covered = expected.filter(({ symbol }) => hasBar(symbol, session)).length;
  if (covered >= LIVE_LIMITS.coverage * expected.length) return;
  const shut = covered === 0 ? ' (did the exchange stay shut?)' : '';
  throw new SourceError(
    `Only ${covered} of ${expected.length} symbols have a bar of ${session}${shut}; the last rows stay, and the next run asks again.`,
  );
}
