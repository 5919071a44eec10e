import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { type Database, queryOnce } from '#database/port.ts';
import { weekStart } from '#domain/calendar/iso-week.ts';
import { nextSession, sessionClose, sessionOpen, sessionsBetween } from '#domain/calendar/sessions.ts';
import { auditLedger } from '#record/ledger/audit-ledger.ts';
import { recordRisk } from '#record/record-risk.ts';
import { noise } from '#tests/support/bars.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { embeddedForTest } from '#tests/support/embedded.ts';
import { SHORT_LIVED } from '#tests/support/product.ts';
import { storeCloses } from '#tests/support/risk-closes.ts';
import { shared } from '#tests/support/shared.ts';

const PROCESSES = 3;
/** Each process is killed in each week: 102 kills. */
const WEEKS = sessionsBetween('2026-02-02', '2026-09-25').filter(
  (session) => weekStart(nextSession(session)) !== weekStart(session),
);
/** A run that records prints 15 lines at most. A process with more lines is killed after the last one. */
const LINES = 20;

const child = shared(() => bundleForNode('tests/support/risk-child.ts'));
const killed = shared(embeddedForTest);
const { database: undisturbed } = databaseOfTheseTests();
/** Number of kills after each kind of line. */
const moments = new Map<string, number>();
const random = noise(20_261_124);

/** Stores the closes of a week. In every fifth week an earlier close is wrong, which changes outcomes twice. */
async function publish(database: Database, week: number): Promise<void> {
  await storeCloses(database, WEEKS[week] ?? '');
  if (week % 5 !== 4) return;
  const wrong =
    "update collector.series set value = 1.02 * value where name = 'sp500_close' and session = $1";
  await queryOnce(database, wrong, [WEEKS[week - 2] ?? '']);
}

/** Starts a process that records, and kills it after a number of lines, at the latest when it has recorded. */
async function recordUntilKilled(now: number, lines: number): Promise<void> {
  const recorder = spawn(process.execPath, [...SHORT_LIVED, child.program, killed.url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => recorder.once('close', resolve));
  recorder.stdin.write(`${now}\n`);
  let count = 0;
  for await (const line of createInterface({ input: recorder.stdout })) {
    count += 1;
    if (recorder.killed || (count < lines && line !== 'done')) continue;
    moments.set(line, (moments.get(line) ?? 0) + 1);
    recorder.kill('SIGKILL');
  }
  await ended;
  expect(recorder.signalCode).toBe('SIGKILL');
}

it.each(WEEKS.map((session, week) => [session, week] as const))(
  'three processes record the week until %s and are killed',
  async (session, week) => {
    const now = sessionClose(session) + 30 * 60_000;
    await Promise.all([publish(killed.database, week), publish(undisturbed, week)]);
    await recordRisk(undisturbed, now);
    const places = Array.from({ length: PROCESSES }, () => 1 + Math.floor(random() * LINES));
    await Promise.all(places.map((lines) => recordUntilKilled(now, lines)));
    await recordRisk(killed.database, now);
  },
);

/** The rows of the record without their ids, whose gaps come from rolled-back transactions. */
const rowsOf = (database: Database) =>
  queryOnce<{ kind: string; session: string; at: string; from: string | null }>(
    database,
    `select this.kind, this.session, this.at, this.content, this.outcome_from as from, before.at as replaced
       from archive.risk_outlooks as this left join archive.risk_outlooks as before on before.id = this.replaces
       order by this.session, this.kind, this.at`,
  );

it('have recorded each outlook and each outcome once, like an undisturbed process', async () => {
  const kills = [...moments.values()].reduce((sum, count) => sum + count, 0);
  expect(kills).toBeGreaterThanOrEqual(100);
  expect([...moments.keys()]).toEqual(expect.arrayContaining(['begun', 'query', 'worked', 'done']));
  const rows = await rowsOf(killed.database);
  expect(rows).toEqual(await rowsOf(undisturbed));
  const outlooks = rows.filter(({ kind }) => kind === 'outlook');
  expect(outlooks.map(({ session }) => session)).toEqual(WEEKS);
  expect(rows.length - outlooks.length).toBeGreaterThan(WEEKS.length);

  // Each row has its entry, and the entry of an outlook stands before the first session of its outcome.
  const { faults } = await killed.database.transaction((transaction) => auditLedger(transaction, Date.now()));
  expect(faults).toEqual([]);
  const entries = await queryOnce<{ entry: string }>(
    killed.database,
    "select entry from archive.ledger_entries where kind = 'risk'",
  );
  expect(entries).toHaveLength(rows.length);
  const stated = entries.map(({ entry }) => JSON.parse(entry)).filter(({ part }) => part === 'outlook');
  expect(stated).toHaveLength(WEEKS.length);
  for (const { session, at, outcome_from } of stated) {
    expect(outcome_from).toBe(nextSession(session));
    expect(Date.parse(at)).toBeGreaterThan(sessionClose(session));
    expect(Date.parse(at)).toBeLessThan(sessionOpen(outcome_from));
  }
});
