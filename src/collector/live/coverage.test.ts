import { describe, expect, it } from 'vitest';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { checkCoverage } from './coverage.ts';

const MEMBERS = fakeMembers(10);
const SESSIONS = ['2024-03-05', '2024-03-06', '2024-03-07', '2024-03-08'];

/** Whether 10 members, of which so many have a bar of each session, cover the last one. */
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

describe('a session is covered', () => {
  it('by nine in ten of the session before', () => {
    expect(covers(10, 10, 10, 9)).toBe(true);
    expect(covers(10, 10, 10, 8)).toMatch(/^Only 8 of 10 symbols have a bar of 2024-03-08; /);
  });

  it('by those that still trade', () => expect(covers(10, 10, 6, 6)).toBe(true));

  it('over a session without bars, and over one of which little is there', () => {
    expect(covers(10, 10, 0, 10)).toBe(true);
    expect(covers(10, 10, 2, 2)).toMatch(/^Only 2 of 10 /);
  });

  it('never by nothing', () => {
    expect(covers(10, 10, 10, 0)).toMatch(/^Only 0 of 10 symbols .* \(did the exchange stay shut\?\)/);
    expect(covers(0, 0, 0, 10)).toMatch(/^No provider has any bar of the members/);
  });
});
