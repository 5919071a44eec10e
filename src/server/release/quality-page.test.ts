import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { type EmbeddedForTest, embeddedForTest } from '#tests/support/embedded.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { PATIENT } from '#tests/support/gate-server.ts';
import { createQualityPage } from './quality-page.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MOST_BYTES = 14_600;

let embedded: EmbeddedForTest;
beforeAll(async () => {
  embedded = await embeddedForTest();
  const rows = sessionsBetween('2026-07-20', '2026-11-20').flatMap((session) =>
    ['bars', 'vix_close', 'put_call_total'].map(
      (input) =>
        `('${session}T21:00:00Z', '${session}', 'late', '${input}', 'newest value of the day before', 'late ${session} ${input}')`,
    ),
  );
  await embedded.database.transaction((transaction) =>
    transaction.script(
      `insert into public.quality_events (at, session, kind, input, detail, event_key) values ${rows.join(', ')}`,
    ),
  );
});
afterAll(() => embedded.remove());

describe('the page about the quality of the data', () => {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const watch = fakeMarketWatch(() => NOW);
  let time = NOW;
  const create = () =>
    createQualityPage({
      ...{ database: embedded.database, watch, productName: 'Barometer', now: () => time, log, ...PATIENT },
    });

  it('fits the first ten packets with its headers if every session has a gap', async () => {
    const { br, headers, content } = (await create()()).resource;
    expect((br?.length ?? content.length) + JSON.stringify(headers).length).toBeLessThan(MOST_BYTES);
    const html = content.toString();
    expect(html).toContain(' open gaps, 0 of 90 sessions checked.');
    expect(html).toContain('href="on/2026-11-20"');
    expect(html).not.toContain('<script');
  });

  it('is built once a minute for a version of the data', async () => {
    const page = create();
    const { resource: first } = await page();
    expect((await page()).resource).toBe(first);
    watch.version += 1;
    const { resource: second } = await page();
    expect(second).not.toBe(first);
    time += 60_000;
    expect((await page()).resource).not.toBe(second);
  });

  it('is served with the name of a record whose content was changed', async () => {
    await embedded.database.transaction((transaction) =>
      transaction.query(
        `insert into archive.publications (created_at_batch, session, kind, published_at, origin, rows, sha256)
         values ('2026-11-13T21:00:00Z', '2026-11-13', 'final', now(), 'live', '{"a": 2}', sha256('{"a": 1}'))`,
      ),
    );
    const { status, content } = (await create()()).resource;
    expect(status).toBe(200);
    expect(content.toString()).toContain(
      'The content of 1 record was changed afterwards: archive.publications 1.',
    );
  });

  it('is built again after a failure, and served with its age after a later one', async () => {
    let isAway = true;
    const database = {
      ...embedded.database,
      transaction: (async (work, options) => {
        if (isAway) throw new Error('away');
        return embedded.database.transaction(work, options);
      }) as typeof embedded.database.transaction,
    };
    const page = createQualityPage({
      database,
      watch,
      productName: 'Barometer',
      now: () => time,
      log,
      ...PATIENT,
    });
    await expect(page()).rejects.toThrow('away');
    isAway = false;
    const { resource } = await page();
    expect(resource.status).toBe(200);
    isAway = true;
    time += 90_000;
    expect(await page()).toEqual({ resource, age: 90 });
  });
});
