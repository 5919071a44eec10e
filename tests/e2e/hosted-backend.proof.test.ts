import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { MARKET_TABLES } from '#schema/tables.ts';
import { pageForProject } from '../support/build-page.ts';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { HOSTED_KEYS, type HostedGateway, startHostedProject } from '../support/hosted-project.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { hasPostgrest } from '../support/postgrest.ts';
import { shared } from '../support/shared.ts';
import { staticHost } from '../support/static-host.ts';

describe.runIf(hasPostgrest())('a static build over a hosted project', () => {
  const fresh = pagesForTests();
  const project = shared(startHostedProject);
  let gateway: HostedGateway;
  const host = shared(async () => {
    ({ gateway } = project);
    return staticHost(await pageForProject(gateway.url, HOSTED_KEYS.anonKey), {});
  });
  beforeEach(() => gateway.asked.splice(0));

  /** Opens the page; its clock stands at `clock` if that is stated. */
  const open = async (clock?: string): Promise<Page> => {
    const page = await fresh({ reducedMotion: 'reduce' });
    if (clock) await page.clock.setFixedTime(clock);
    await openAwake(page, host.url);
    // The page is interactive before its first read ends.
    await page.getByText('Signal Breakdown').waitFor();
    return page;
  };

  it('requests every table read once, with a preflight only if needed', async () => {
    const newest = await fetch(
      `${gateway.url}/rest/v1/market_metrics?select=created_at&order=created_at.desc&limit=1`,
      { headers: { apikey: HOSTED_KEYS.anonKey } },
    );
    const [row] = await newest.json();
    gateway.asked.splice(0);
    // On the day of the newest rows, the first reads include the rows of a week before.
    await open(row.created_at);
    const reads = gateway.asked.filter((line) => line.startsWith('GET /rest/v1/'));
    for (const table of MARKET_TABLES) {
      expect(
        reads.some((line) => line.includes(`/${table}?`)),
        table,
      ).toBe(true);
    }
    expect(new Set(reads).size).toBe(reads.length);
    // Ignores the reads of closes, which the page sends if the chart of the provider does not load.
    const others = gateway.asked.filter((line) => !/^GET |symbol=eq\./.test(line));
    expect(others).toEqual([expect.stringMatching(/^OPTIONS .*order=created_at\.asc/)]);
  });

  it('sends the key in a header if PostgREST receives the key in the address', async () => {
    gateway.takesKeyOut = false;
    const page = await fresh();
    allowComplaints(page, FAILED_REQUEST);
    await openAwake(page, host.url);
    await page.getByText('Signal Breakdown').waitFor();
  });
});
