import { expect, it } from 'vitest';
import { bondSessionsAfter } from './bond-market.ts';

it('counts the sessions after a day on which bonds were traded', () => {
  expect(bondSessionsAfter('2026-11-19', '2026-11-20')).toBe(1);
  expect(bondSessionsAfter('2026-11-18', '2026-11-20')).toBe(2);
  expect(bondSessionsAfter('2026-11-20', '2026-11-20')).toBe(0);
  expect(bondSessionsAfter('2026-11-23', '2026-11-20')).toBe(0);
  // Both markets are closed on Thanksgiving.
  expect(bondSessionsAfter('2026-11-25', '2026-11-27')).toBe(1);
});

it('excludes days on which only stocks are traded', () => {
  expect(bondSessionsAfter('2026-11-10', '2026-11-12')).toBe(1); // Veterans Day, a Wednesday
  expect(bondSessionsAfter('2026-11-10', '2026-11-11')).toBe(0);
  expect(bondSessionsAfter('2026-10-09', '2026-10-13')).toBe(1); // Columbus Day
  expect(bondSessionsAfter('2018-11-09', '2018-11-13')).toBe(1); // Veterans Day is a Sunday, so bonds pause on Monday
  expect(bondSessionsAfter('2023-11-09', '2023-11-10')).toBe(1); // Veterans Day is a Saturday, so bonds do not pause
});
