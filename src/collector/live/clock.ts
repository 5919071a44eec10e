import { type Problems, SourceError } from '../problems.ts';
import type { HttpClient } from '../providers/http-client.ts';
import type { Provider } from '../providers/provider.ts';
import { LIVE_LIMITS } from './limits.ts';
import { type Target, targetAt } from './target.ts';

/** Of so many clocks a single odd one is known for what it is. */
const ENOUGH_TO_TELL = 3;

/** What the providers' clocks say of a target. */
export interface ClockCheck {
  readonly target: Target;
  /** By how much they are ahead of ours (ms); 0 where ours is right. */
  readonly offset: number;
  /** That ours is wrong, in words; null where it is right. */
  readonly words: string | null;
}

/**
 * Looks at our clock by those of the providers asked so far. One ahead of theirs may take a session for final
 * that is not: it is then under way. Throws SourceError where by theirs the session has not come at all, and
 * where ours is off by more than an hour.
 */
export function checkClock(
  target: Target,
  { now, http }: { now: number; http: Pick<HttpClient, 'clockOffset'> },
): ClockCheck {
  const offset = http.clockOffset() ?? 0;
  if (Math.abs(offset) <= LIVE_LIMITS.clockOff) return { target, offset: 0, words: null };
  const words = `This computer's clock is ${lengthOf(offset)} ${offset < 0 ? 'ahead of' : 'behind'} the providers'`;
  if (Math.abs(offset) > LIVE_LIMITS.clockUseless) {
    // Rows that are right would be taken for ones of the future, and be removed.
    throw new SourceError(`${words}, too far for any session to be read by it; set it right.`);
  }
  const theirs = targetAt(now + offset);
  if (theirs.session < target.session) {
    throw new SourceError(
      `${words}, by which ${target.session} has not come to be read; set the clock right.`,
    );
  }
  const isSame = theirs.session === target.session;
  return { target: isSame && target.final ? theirs : target, offset, words: `${words}; set it right.` };
}

/** Notes whose clock does not agree with those of the others, where they are enough to tell. */
export function noteOddClocks(
  providers: readonly Provider[],
  { http, problems }: { http: Pick<HttpClient, 'clockOffset'>; problems: Problems },
): void {
  const known = providers.flatMap(({ name, label }) => {
    const offset = http.clockOffset(name);
    return offset === null ? [] : [{ label, offset }];
  });
  if (known.length < ENOUGH_TO_TELL) return;
  for (const { label, offset } of known) {
    const odd = offset - (http.clockOffset() ?? 0);
    if (Math.abs(odd) <= LIVE_LIMITS.clockOff) continue;
    const words = `${lengthOf(odd)} ${odd < 0 ? 'behind' : 'ahead of'} the others'`;
    problems.note('clock', `${label}'s clock is ${words}; its figures are taken by their days.`);
  }
}

/** A length of time (ms) in words: '90 minutes', '3 hours', '365 days'. */
export function lengthOf(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
