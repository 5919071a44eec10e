import { beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING } from '#collector/providers/rights.ts';
import { createSimulatedSource } from '#collector/sources/simulated-source.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { backfill, collect } from '#tests/support/collect.ts';
import { databaseOfTheseTests, type Run } from '#tests/support/database-of-each-test.ts';
import { mailSettings } from '#tests/support/deliveries.ts';
import { issueDemonstrationRecord } from './demonstration-record.ts';
import { createSignalSchedule } from './signal-schedule.ts';

const DAY = 86_400_000;
/** Saturday, 9:00 in New York, the time at which the signal is due. */
const SATURDAY = Date.parse('2026-02-07T14:00:00Z');
const SETTINGS = { signalTime: { weekday: 6, minutes: 9 * 60 } } as const;
const settings = mailSettings(SETTINGS);
const SIMULATED = { source: 'simulated', settings } as const;
const source = createSimulatedSource({ years: 1 });

const decisions = (run: Run) =>
  run(
    `select week, status, reason, decided_at, session, source, verdict, score, range_low, range_high, sp500_close,
       formula_version, weights, inputs from mailer.issued_signals order by week`,
  );
const grades = (run: Run) =>
  run(
    `select week, horizon_weeks, entry_session, entry_close, exit_session, exit_close, change_percent, status, reason
     from mailer.grades order by week, horizon_weeks`,
  );

describe.each([0, 1] as const)('the record of a demonstration, published after %i sessions', (delay) => {
  const settings = mailSettings({ ...SETTINGS, publishDelay: delay });
  const SIMULATED = { source: 'simulated', settings } as const;
  const publishing = { settings: { ...EVERYTHING, delay }, suppliersOf: () => [], sheet: [] };
  const source = { ...createSimulatedSource({ years: 1 }), publishing };
  const filledAtOnce = databaseOfTheseTests();
  const filledByTheJob = databaseOfTheseTests();
  /** Wednesday after the last signal, when that signal can no longer be issued. */
  const filledAt = SATURDAY + 3 * 7 * DAY + 4 * DAY;

  beforeAll(async () => {
    await backfill({ database: filledAtOnce.database, source, now: () => filledAt });
    await issueDemonstrationRecord(filledAtOnce.database, { ...SIMULATED, now: filledAt });

    const { database } = filledByTheJob;
    for (let week = 0; week <= 3; week += 1) {
      const now = () => SATURDAY + week * 7 * DAY;
      await (week === 0 ? backfill : collect)({ database, source, now });
      await createSignalSchedule({ database, settings, began: now(), now }).ifDue();
    }
    await collect({ database, source, now: () => filledAt });
    await gradeDecisions(database, filledAt);
  });

  it('equals the issues of the weekly job, mails included', async () => {
    const byTheJob = await decisions(filledByTheJob.run);
    expect(byTheJob.map(({ status }) => status)).toEqual(['issued', 'issued', 'issued', 'issued']);
    expect(byTheJob[0]?.session).toBe(delay === 0 ? '2026-02-06' : '2026-02-05');
    expect((await decisions(filledAtOnce.run)).slice(-4)).toEqual(byTheJob);
  });

  it('has the grades that the weekly job gave', async () => {
    const byTheJob = await grades(filledByTheJob.run);
    expect(byTheJob).toHaveLength(3);
    const first = String(byTheJob[0]?.week);
    expect((await grades(filledAtOnce.run)).filter(({ week }) => String(week) >= first)).toEqual(byTheJob);
  });

  it('has every week from the first signal on, each marked as demonstration', async () => {
    const rows = await decisions(filledAtOnce.run);
    expect(rows).toHaveLength(delay === 0 ? 7 : 6);
    const mondays = rows.map(({ week }) => Date.parse(String(week)));
    expect(mondays.every((monday, at) => at === 0 || monday - (mondays[at - 1] ?? 0) === 7 * DAY)).toBe(true);
    expect(new Set(rows.map((row) => row.source))).toEqual(new Set(['simulated']));
  });

  it('sends no mail', async () => {
    expect(await filledAtOnce.run('select from mailer.deliveries')).toEqual([]);
  });

  it('is issued once, and never for a week that was decided before', async () => {
    const { database, run } = filledAtOnce;
    const before = await decisions(run);
    await issueDemonstrationRecord(database, { ...SIMULATED, now: filledAt + 30 * DAY });
    expect(await decisions(run)).toEqual(before);
    await issueDemonstrationRecord(filledByTheJob.database, { ...SIMULATED, now: filledAt });
    expect(await decisions(filledByTheJob.run)).toHaveLength(4);
  });
});

describe('the record of a database with few rows', () => {
  const { database, run } = databaseOfTheseTests();

  it('is not issued for real data or without rows', async () => {
    for (const real of ['live', 'csv', 'replay'] as const) {
      const metric = `insert into public.market_metrics (market_exposure, source, created_at)
        values (50, '${real}', '2025-02-07T21:00:00Z')`;
      await run(metric);
      await issueDemonstrationRecord(database, { source: real, settings, now: SATURDAY });
      await run('delete from public.market_metrics');
    }
    await issueDemonstrationRecord(database, { ...SIMULATED, now: SATURDAY });
    expect(await decisions(run)).toEqual([]);
  });

  it('excludes the week that the job can still decide', async () => {
    const now = SATURDAY + DAY;
    await backfill({ database, source, now: () => now });
    await issueDemonstrationRecord(database, { ...SIMULATED, now });
    expect((await decisions(run)).at(-1)?.week).toBe('2026-01-26');
  });
});
