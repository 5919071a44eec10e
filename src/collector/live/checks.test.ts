import { describe, expect, it } from 'vitest';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { checkCoverage, isReadjusted } from './checks.ts';

const overlap = (stored: readonly number[], fetched: readonly number[]) =>
  stored.map((close, at) => ({
    session: `2024-03-${String(at + 1).padStart(2, '0')}`,
    stored: close,
    fetched: fetched[at] ?? Number.NaN,
  }));

it.each([
  ['nothing differs', [50, 51, 52], [50, 51, 52], false],
  ['all closes differ by less than a thousandth', [50, 51, 52], [50.02, 51.02, 52.02], false],
  ['one close is corrected', [50, 51, 52], [50, 50, 52], false],
  ['two closes are corrected by different ratios', [50, 51, 52], [49, 51, 54], false],
  ['a split halves all closes', [50, 51, 52], [25, 25.5, 26], true],
  ['the closes before a dividend are lower', [50, 51, 52, 50.5], [49.6, 50.59, 52, 50.5], true],
  ['a split of ten of a small price rounded to the cent', [3.05, 3.14, 3.19], [0.31, 0.31, 0.32], true],
  ['only the first closes are already readjusted', [25, 25.5, 52, 53], [25, 25.5, 26, 26.5], true],
  ['the only close differs', [50], [25], true],
  ['there is no overlap', [], [], false],
])('%s', (_, stored, fetched, readjusted) => {
  expect(isReadjusted(overlap(stored, fetched))).toBe(readjusted);
});

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
