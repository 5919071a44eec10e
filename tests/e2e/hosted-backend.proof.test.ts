import { expect, it } from 'vitest';
import { MARKET_TABLES } from '#schema/tables.ts';
import { pageForProject } from '../support/build-page.ts';
import { HOSTED_KEYS, startHostedProject } from '../support/hosted-project.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { hasPostgrest } from '../support/postgrest.ts';
import { shared } from '../support/shared.ts';
import { staticHost } from '../support/static-host.ts';

const fresh = pagesForTests();
const project = shared(startHostedProject);
const host = shared(async () =>
  staticHost(await pageForProject(project.gateway.url, HOSTED_KEYS.anonKey), {}),
);

it.runIf(hasPostgrest())(
  'a static build over a hosted project requests every table once, with a preflight only if needed',
  async () => {
    const { gateway } = project;
    const newest = await fetch(
      `${gateway.url}/rest/v1/market_metrics?select=created_at&order=created_at.desc&limit=1`,
      { headers: { apikey: HOSTED_KEYS.anonKey } },
    );
    const [row] = await newest.json();
    gateway.asked.splice(0);
    const page = await fresh({ reducedMotion: 'reduce' });
    // On the day of the newest rows, the first reads include the rows of a week before.
    await page.clock.setFixedTime(row.created_at);
    await openAwake(page, host.url);
    await page.getByText('Signal Breakdown').waitFor();
    const reads = gateway.asked.filter((line) => line.startsWith('GET /rest/v1/'));
    for (const table of MARKET_TABLES)
      expect([table, reads.some((line) => line.includes(`/${table}?`))]).toEqual([table, true]);
    expect(new Set(reads).size).toBe(reads.length);
    // Ignores the reads of closes, which the page sends if the chart of the provider does not load.
    const others = gateway.asked.filter((line) => !/^GET |symbol=eq\./.test(line));
    expect(others).toEqual([expect.stringMatching(/^OPTIONS .*order=created_at\.asc/)]);
  },
);
