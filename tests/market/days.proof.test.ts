import { describe, expect, it } from 'vitest';
import { periodsOf } from '#collector/periods.ts';
import type { Database } from '#database/port.ts';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { readPublishedPage } from '#server/documents/past-days.ts';
import { createReleases } from '#server/documents/release.ts';
import { createLog } from '#server/log.ts';
import { createServerCounts } from '#server/metrics/counters.ts';
import { createPageRenderer } from '#server/page/served-page.ts';
import { createSnapshotReads } from '#server/rest/read.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { marketOverTime } from '#tests/support/runs-over-time.ts';
import { servingProcess } from '#tests/support/serving-process.ts';

const HTML = `<html><head><title>B</title><style>.page{}</style><!--static--><script>early()</script><!--/static--></head>
<body><!--page--><div id="root">Loading</div><!--/page--><script type="module" src="./m.js"></script></body></html>`;
const HOUR = 3_600_000;

/** The JSON text of the view that the server sends at an instant. */
async function servedView(database: Database, at: number): Promise<string> {
  const releases = createReleases({
    inSnapshot: createSnapshotReads(database),
    readInternal: async () => ({ risk: null, gaps: undefined, anchors: { checkpoints: [], places: [] } }),
    renderer: createPageRenderer(
      HTML,
      { supabaseUrl: 'http://127.0.0.1:1', anonKey: 'k', productName: 'Barometer' },
      null,
    ),
    productName: 'Barometer',
    watch: fakeMarketWatch(() => at),
    counts: createServerCounts(),
    now: () => at,
    log: createLog({ write: () => undefined, clock: () => at, format: 'json' }),
  });
  await releases.prepare();
  const { page } = (await releases.current()).value;
  releases.close();
  const [, data = ''] =
    /<script type="application\/json" id="barometer-data">(.*?)<\/script>/s.exec(page.content.toString()) ??
    [];
  return JSON.stringify(JSON.parse(data).view);
}

const { database, run } = databaseOfTheseTests();
describe('the past days of a month with corrections', () => {
  it('equal the page served after the final run of each session', async () => {
    const time = { now: sessionClose('2024-11-01') };
    const now = () => time.now;
    const server = servingProcess(
      database,
      marketOverTime({
        members: fakeMembers(6),
        first: '2024-06-03',
        now,
        failing: () => null,
        wrongUntil: (session) => sessionClose(session) + 12 * HOUR,
      }),
      { now },
    );
    const served = new Map<string, { text: string; at: number }>();
    for (const session of sessionsBetween('2024-11-04', '2024-12-05')) {
      const periods = periodsOf(session);
      // The first run of a session corrects rows of the session before.
      for (const period of [periods[0] ?? 0, ...periods.slice(-2)]) {
        time.now = period;
        await server.tick();
      }
      served.set(session, { text: await servedView(database, time.now), at: time.now });
    }
    expect(served.size).toBe(23);
    for (const [session, { text, at }] of served) {
      const day = await database.transaction((transaction) =>
        readPublishedPage(transaction, session, 'Barometer'),
      );
      expect(day).toMatchObject({ isIntact: true, publishedAt: at });
      expect(JSON.stringify(day?.view) === text, session).toBe(true);
    }
    const [{ corrected } = { corrected: 0 }] = await run<{ corrected: number }>(
      "select count(*) as corrected from quality_events where kind = 'corrected'",
    );
    expect(corrected).toBeGreaterThan(10);
  });
});
