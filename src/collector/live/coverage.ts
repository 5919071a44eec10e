import type { Member } from '#domain/market-history.ts';
import { SourceError } from '../problems.ts';
import { LIVE_LIMITS } from './limits.ts';

/**
 * Throws SourceError unless enough of the members that had a bar of the session `before` have one of `session`:
 * numbers over half of them would pass for the market's.
 */
export function checkCoverage(
  members: readonly Member[],
  hasBar: (symbol: string, session: string) => boolean,
  session: string,
  before: string | null,
): void {
  const expected = before === null ? [] : members.filter(({ symbol }) => hasBar(symbol, before));
  const covered = expected.filter(({ symbol }) => hasBar(symbol, session)).length;
  if (expected.length > 0 && covered >= LIVE_LIMITS.coverage * expected.length) return;
  throw new SourceError(
    expected.length === 0
      ? 'No provider has any bar of the members; doctor says what each answered.'
      : `Only ${covered} of ${expected.length} symbols have a bar of ${session}; the last rows stay, and the next run asks again.`,
  );
}
