import { describe, expect, it } from 'vitest';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { checkCoverage } from './coverage.ts';

const MEMBERS = fakeMembers(10);
const SESSIONS = ['2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08'];

/**
 * Returns true if the last session is covered, otherwise the error. Each number of `counts` is how many of 10 members
 * have a bar of one session.
 */
function covers(...counts: readonly number[]): boolean | string {
  const hasBar = (symbol: string, session: string) =>
    Number(symbol.slice(1)) < (counts[SESSIONS.indexOf(session)] ?? 0);
  try {
    checkCoverage(MEMBERS, hasBar, SESSIONS);
    return true;
  } catch (error) {
    return error instanceof Error ? error.message : false;
  }
}

describe('a session', () => {
  it('needs bars of 90 % of the symbols of the session before', () => {
    expect(covers(10, 10, 10, 9)).toBe(true);
    expect(covers(10, 10, 10, 8)).toMatch(/^Only 8 of 10 symbols have a bar of 2024-03-08\. /);
  });

  it('needs no bars of symbols that are no longer traded', () => expect(covers(10, 10, 6, 6)).toBe(true));

  it('is compared only with a session that has enough bars', () => {
    expect(covers(10, 10, 0, 10)).toBe(true);
    expect(covers(10, 10, 2, 2)).toMatch(/^Only 2 of 10 /);
  });

  it('is never covered without any bar', () => {
    expect(covers(10, 10, 10, 0)).toMatch(/^Only 0 of 10 symbols .* \(was the exchange closed\?\)/);
    expect(covers(0, 0, 0, 10)).toMatch(/^No provider returned a bar of any company/);
  });
});
