import { expect, it } from 'vitest';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { checkRights } from './check-rights.ts';

const LIVE = { MARKET_SOURCE: 'live', ALPACA_KEY_ID: 'PK1', ALPACA_SECRET_KEY: 'hush', FRED_API_KEY: 'hush' };
const PUBLIC = { ...LIVE, AUDIENCE: 'public' };
const checked = async (values: Record<string, string>) => linesOf(await checkRights(subjectOf(values)));

it('names what the terms forbid, and the two settings, if others can reach a live page [T27]', async () => {
  for (const open of [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://market.example' }]) {
    const lines = await checked({ ...LIVE, ...open });
    expect(lines.filter((line) => line.includes('Cboe, VIX, Put/call ratio'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('Alpaca, Stock prices'))).toHaveLength(1);
    expect(lines.join()).not.toContain('Treasury yield: shown');
    expect(lines.at(-1)).toMatch(
      /^note Set AUDIENCE=private .* AUDIENCE=public, with your licences in LICENSES/,
    );
  }
  expect(await checked(LIVE)).toEqual([]);
  expect(await checked({ HOST: '0.0.0.0' })).toEqual([]);
});

it('prints the rights sheet of a public audience, and what is left of the signal', async () => {
  const [sheet = '', kept] = await checked(PUBLIC);
  expect(sheet).toMatch(/^fine AUDIENCE is public\. Alpaca, .*: scores and words only\. .* Read 2026-/);
  expect(sheet).toContain('FRED, 10-year Treasury yield: shown.');
  expect(sheet).toMatch(/US Treasury, 10-year Treasury yield: shown\. [^;]*17 U\.S\.C\. 105/);
  expect(sheet).toMatch(/Office of Financial Research, Financial Stress Index [^:]*: left out\./);
  expect(sheet).toMatch(/Cboe, VIX, [^:]*: left out\. .*signed license agreement/);
  expect(kept).toBe(
    'note Market Exposure, Market Breadth of the signal can be shown: 20% of its weight. A verdict needs 70%, so there is none.',
  );
  const [, licensed] = await checked({ ...PUBLIC, LICENSES: 'fred:derived' });
  expect(licensed).toMatch(/^fine Fear & Greed, .*: 85% of its weight\. That is enough for a verdict\.$/);
});

it('refuses a public audience of which nothing may be shown [T27]', async () => {
  const csv = { MARKET_SOURCE: 'csv', MARKET_CSV_DIR: '/tmp', AUDIENCE: 'public' };
  expect(await checked(csv)).toEqual([expect.stringMatching(/^wrong .*LICENSES=own/)]);
  expect((await checked({ ...csv, LICENSES: 'own' }))[1]).toMatch(/100% of its weight/);
  expect(await checked({ ...PUBLIC, MARKET_PROVIDERS: 'yahoo' })).toEqual([
    expect.stringMatching(/^wrong AUDIENCE=public shows nothing of these providers/),
  ]);
});

it('says that a page is private or delayed', async () => {
  const values = { ...LIVE, AUDIENCE: 'private', PAGE_PASSWORD: 'open sesame', PUBLISH_DELAY: 'T+1' };
  expect(await checked(values)).toEqual([
    'fine AUDIENCE is private: visitors need PAGE_PASSWORD.',
    'fine PUBLISH_DELAY is T+1. Each session is published after the close of the next session.',
  ]);
});
