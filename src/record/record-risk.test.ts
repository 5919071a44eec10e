import { describe, expect, it } from 'vitest';
import { nextSession, sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { storeCloses } from '#tests/support/risk-closes.ts';
import { auditLedger } from './ledger/audit-ledger.ts';
import { recordRisk } from './record-risk.ts';

/** A Friday, and the 20th session after it. */
const FRIDAY = '2026-09-18';
const EXIT = '2026-10-16';
const MINUTE = 60_000;

describe('recording the risk outlook', () => {
  const { database, run } = databaseOfEachTest();
  const store = (last: string, options?: Parameters<typeof storeCloses>[2]) =>
    storeCloses(database, last, options);

  const rows = () =>
    run(
      `select kind, session, origin, content ->> 'inputs' as inputs, content ->> 'voidReason' as void, outlook, replaces
       from archive.risk_outlooks order by id`,
    );
  const outcomes = async () => (await rows()).filter(({ kind }) => kind === 'outcome');
  const setClose = (value: string, where: string) =>
    run(`update collector.series set value = ${value} where name = 'sp500_close' and ${where}`);
  const recordAtOnce = async (now: number) => {
    const added = await Promise.all([0, 0, MINUTE].map((later) => recordRisk(database, now + later)));
    return added.reduce((sum, count) => sum + count);
  };
  const entries = async () => (await run("select from archive.ledger_entries where kind = 'risk'")).length;
  const AFTER_CLOSE = sessionClose(FRIDAY) + 30 * MINUTE;
  const OPENING = sessionOpen(nextSession(FRIDAY));
  const AFTER_EXIT = sessionClose(EXIT) + 30 * MINUTE;

  it('records the outlook once, in the ledger, between the close of the week and the next opening', async () => {
    await store(FRIDAY);
    expect(await recordAtOnce(AFTER_CLOSE)).toBe(1);
    expect(await recordRisk(database, OPENING - 1)).toBe(0);
    expect(await rows()).toMatchObject([
      { kind: 'outlook', session: FRIDAY, origin: 'live', inputs: 'vix and closes' },
    ]);
    expect(await entries()).toBe(1);
    const [{ content } = { content: {} }] = await run('select content from archive.risk_outlooks');
    expect(content).toMatchObject({ bands: [{ band: 'below 15' }], past: { weeks: expect.any(Number) } });
  });

  it.each<[string, number, { last?: string; from?: string; source?: string; vixUntil?: string }]>([
    ['when the next session has opened', OPENING, {}],
    ['before the close of the week is stored', AFTER_CLOSE, { last: '2026-09-17' }],
    ['in the middle of a week', sessionClose('2026-09-16') + 30 * MINUTE, { last: '2026-09-16' }],
    ['with less than ten years of closes', AFTER_CLOSE, { from: '2016-12-01' }],
    ['from moved closes of the past', AFTER_CLOSE, { source: 'replay' }],
    ['while the VIX of the day may still arrive', AFTER_CLOSE, { vixUntil: '2026-09-17' }],
  ])('records no outlook %s', async (_, now, { last = FRIDAY, ...options }) => {
    await store(last, options);
    expect(await recordRisk(database, now)).toBe(0);
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['an earlier VIX in the evening', '2026-09-17', 'vix and closes'],
    ['the closes only if the VIX is old', '2026-09-04', 'closes'],
  ])('takes %s', async (_, vixUntil, inputs) => {
    await store(FRIDAY, { vixUntil });
    expect(await recordRisk(database, OPENING - 1)).toBe(1);
    expect(await rows()).toMatchObject([{ inputs }]);
  });

  it('refuses an outlook that is dated after its first session has opened', async () => {
    const insert = (at: number) =>
      run(
        `insert into archive.risk_outlooks (kind, session, at, rule, source, outcome_from, content)
         values ('outlook', $1, $2, 'r1', 'live', $3, '{}')`,
        [FRIDAY, new Date(at).toISOString(), nextSession(FRIDAY)],
      );
    await expect(insert(OPENING)).rejects.toMatchObject({ code: '23514' });
    await insert(OPENING - 1);
  });

  it('records each outcome once, and another one after a correction', async () => {
    await store(FRIDAY);
    await recordRisk(database, AFTER_CLOSE);
    await store('2026-10-15');
    expect(await recordRisk(database, AFTER_EXIT)).toBe(0);
    await store(EXIT);
    // The exit is a Friday too, so its own outlook is due.
    expect(await recordAtOnce(AFTER_EXIT)).toBe(2);
    await setClose('value * 0.97', "session = '2026-10-01'");
    for (const added of [1, 0]) expect(await recordRisk(database, AFTER_EXIT + MINUTE)).toBe(added);
    expect(await outcomes()).toMatchObject([{ replaces: null }, { replaces: expect.any(Number) }]);
    expect(await entries()).toBe(4);
    const { faults } = await database.transaction((transaction) => auditLedger(transaction, AFTER_EXIT));
    expect(faults).toEqual([]);
  });

  it('voids an outcome with a split', async () => {
    await store(FRIDAY);
    await recordRisk(database, AFTER_CLOSE);
    await store(EXIT);
    await setClose('value / 2', "session > '2026-10-01'");
    await recordRisk(database, AFTER_EXIT);
    expect((await outcomes())[0]?.void).toContain('move of more than 30 %');
  });

  it('voids an outcome ten sessions after a missing close, and replaces it once the close arrives', async () => {
    const recordOn = async (session: string, isMissing: boolean) => {
      await store(session);
      if (isMissing)
        await run("delete from collector.series where name = 'sp500_close' and session = '2026-10-08'");
      return recordRisk(database, sessionClose(session) + 30 * MINUTE);
    };
    await store(FRIDAY);
    await recordRisk(database, AFTER_CLOSE);
    expect(await recordOn('2026-10-21', true)).toBe(0);
    for (const [isMissing, added] of [
      [true, 1],
      [true, 0],
      [false, 1],
    ] as const)
      expect(await recordOn('2026-10-22', isMissing)).toBe(added);
    expect(await outcomes()).toMatchObject([
      { void: 'No S&P 500 close of 2026-10-08 is stored.', replaces: null },
      { void: null, replaces: expect.any(Number) },
    ]);
  });

  it('computes the past of the simulated market once', async () => {
    await store(EXIT, { source: 'simulated' });
    const now = sessionOpen(nextSession(EXIT)) + MINUTE;
    const added = await recordRisk(database, now);
    const all = await rows();
    expect(added).toBe(all.length);
    const outlooks = all.filter(({ kind }) => kind === 'outlook');
    expect(outlooks.every(({ origin }) => origin === 'rebuilt')).toBe(true);
    expect((await outcomes()).length).toBeGreaterThan(20);
    expect(await recordRisk(database, now)).toBe(0);
  });
});
