import { expect, it } from 'vitest';
import type { Verdict } from '../bands/score-bands.ts';
import { stableVerdict } from './stable-verdict.ts';

const closing = (session: string, verdict: Verdict | null) => ({ session, verdict });

it.each([
  ['the same verdict at two closes', '2026-11-19', 'BUY', '2026-11-20', 'BUY', 'BUY'],
  ['the same verdict before and after a weekend', '2026-11-20', 'SELL', '2026-11-23', 'SELL', 'SELL'],
  ['the same verdict around a holiday', '2026-11-25', 'HOLD', '2026-11-27', 'HOLD', 'HOLD'],
  ['different verdicts', '2026-11-19', 'HOLD', '2026-11-20', 'BUY', null],
  ['a session between the two', '2026-11-18', 'BUY', '2026-11-20', 'BUY', null],
  ['no usable verdict before', '2026-11-19', null, '2026-11-20', 'BUY', null],
  ['no usable verdict now', '2026-11-19', 'BUY', '2026-11-20', null, null],
  ['no usable verdict at both', '2026-11-19', null, '2026-11-20', null, null],
] as const)('%s', (_name, before, verdictBefore, now, verdictNow, stable) => {
  expect(stableVerdict(closing(before, verdictBefore), closing(now, verdictNow))).toBe(stable);
});
