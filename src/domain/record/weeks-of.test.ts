import { expect, it } from 'vitest';
import { missingWeeks } from './weeks-of.ts';

it('lists the weeks between the first and the last decided week that have no decision', () => {
  expect(missingWeeks(['2026-12-21', '2026-12-07', '2027-01-11'])).toEqual([
    '2026-12-14',
    '2026-12-28',
    '2027-01-04',
  ]);
});

it.each([[[]], [['2026-12-07']], [['2026-12-07', '2026-12-14']]])('lists no week for %j', (decided) => {
  expect(missingWeeks(decided)).toEqual([]);
});
