import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MARKET_TABLES } from '#schema/tables.ts';
import { pageForProject } from '../support/build-page.ts';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { HOSTED_KEYS, type HostedGateway, startHostedProject } from '../support/hosted-project.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { hasPostgrest } from '../support/postgrest.ts';
import { shared } from '../support/shared.ts';
import { staticHost } from '../support/static-host.ts';

const ANY_ORIGIN = { 'access-control-allow-origin': '*' };
const JSON_TYPE = { ...ANY_ORIGIN, 'content-type': 'application/json' };

type Answer = (response: ServerResponse) => unknown;

describe.runIf(hasPostgrest())('a static build over a hosted project', () => {
  const fresh = pagesForTests();
  const project = shared(startHostedProject);
  let gateway: HostedGateway;
  const host = shared(async () => {
    ({ gateway } = project);
    return staticHost(await pageForProject(gateway.url, HOSTED_KEYS.anonKey), {});
  });
  beforeEach(() => gateway.asked.splice(0));
  afterEach(() => {
    gateway.instead = null;
    gateway.takesKeyOut = true;
  });

  /** Opens the page; its clock stands at `clock` if that is stated. */
  const open = async (clock?: string): Promise<Page> => {
    const page = await fresh({ reducedMotion: 'reduce' });
    if (clock) await page.clock.setFixedTime(clock);
    await openAwake(page, host.url);
    // The page is interactive before its first read ends.
    await page.getByText('Signal Breakdown').waitFor();
    return page;
  };

  /** Makes the gateway send `answer` to each request of a method, instead of the response of the project. */
  const answerInstead = (method: string, answer: Answer) => {
    gateway.instead = (request, response) => {
      if (request.method !== method) return false;
      answer(response);
      return true;
    };
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

  describe('a page with failing reads', () => {
    const json =
      (status: number, body: unknown): Answer =>
      (response) =>
        response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));

    /** A page whose reads have failed. Each test retries them. */
    let page: Page;

    beforeAll(async () => {
      gateway.instead = (_request, response) => response.destroy() !== undefined;
      page = await fresh({ reducedMotion: 'reduce' });
      allowComplaints(page, FAILED_REQUEST, /^error: Access to fetch at .* blocked by CORS policy/);
      await page.goto(host.url);
      await page.getByRole('alert').waitFor();
    });

    it.each<[what: string, message: string, answer: Answer]>([
      ['a wrong key', 'Invalid API key', json(401, { message: 'Invalid API key', hint: 'Double check.' })],
      ['no CORS headers', 'Failed to fetch data', (response) => response.writeHead(200).end('[]')],
    ])('shows the error: %s', async (_, message, answer) => {
      answerInstead('GET', answer);
      const alert = page.getByRole('alert');
      const before = await alert.elementHandle();
      await alert.getByRole('button', { name: 'Retry' }).click();
      await page.waitForFunction((element) => !element?.isConnected, before);
      await alert.getByRole('heading', { name: 'Failed to load market data' }).waitFor();
      await alert.getByText(message, { exact: true }).waitFor();
    });

    it('shows its data as soon as reads succeed', async () => {
      await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
      await page.getByText('Signal Breakdown').waitFor();
    });
  });
});
