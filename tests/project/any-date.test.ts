import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';
import { anyDates } from '../support/any-dates.ts';
import { hasCompiler } from '../support/debian.ts';

const anyDate = (...parameters: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'scripts', 'any-date.mjs'), ...parameters], { encoding: 'utf8' });

it.each([
  ['2026-11-23', '2026-11-24 2026-11-28 2026-11-26 2026-12-31 2027-03-14 2027-11-07 2027-12-28 2036-11-23'],
  ['2028-02-29', '2028-03-01 2028-03-04 2028-04-14 2028-12-31 2028-03-12 2028-11-05 2029-04-04 2038-03-01'],
  // The days themselves count for the next year.
  ['2026-12-31', '2027-01-01 2027-01-02 2027-01-01 2027-12-31 2027-03-14 2027-11-07 2028-02-04 2036-12-31'],
])('on %s the tests run on the next special days', (today, days) => {
  const times = Object.values(anyDates(today));
  expect(times.map((time) => time.slice(0, 10)).join(' ')).toBe(days);
});

it('a run of all dates covers every part of a trading day', () => {
  const times = Object.values(anyDates('2026-11-23'));
  expect(times.map((time) => time.slice(10)).join(' ')).toBe(
    'T11:00Z T05:30Z T16:00Z T18:00Z T06:55Z T05:55Z T20:55Z T23:55Z',
  );
});

it('shifts the clock of a command and of its children with a clean environment', (context) => {
  const isRoot = process.getuid?.() === 0;
  if (process.platform !== 'linux' || !isRoot) {
    expect(anyDate('--', 'true').stderr).toMatch(
      /^any-date (works on Linux only|mounts files, which needs root)/,
    );
    return;
  }
  if (!hasCompiler()) return context.skip('no compiler is installed here');
  const child = `env -i ${process.execPath} -p "new Date().toISOString().slice(5, 10)"`;
  const { stdout, status } = anyDate('--only', 'year-end', '--', 'sh', '-c', `${child}; exit 3`);
  expect(stdout).toMatch(/^year-end (\d{4}-12-31T18:00Z)\n12-31\nyear-end \1: failed\n$/);
  expect(status).toBe(1);
});
