import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import { createCounter, createHttpMetrics, createRunMetrics, createServerCounts } from './counters.ts';
import { exposition } from './exposition.ts';
import { createMetrics } from './metrics.ts';

it("the text format follows Prometheus' format and escapes label values", () => {
  const counter = createCounter('runs_total', 'Runs.');
  counter.add({ job: 'a "b"\\\n' }, 1);
  counter.add({ job: 'a "b"\\\n' }, 2);
  counter.add({ job: 'c' }, 0.5);
  expect(exposition([counter.family()])).toBe(
    '# HELP runs_total Runs.\n# TYPE runs_total counter\nruns_total{job="a \\"b\\"\\\\\\n"} 3\nruns_total{job="c"} 0.5\n',
  );
});

it('counts delivery attempts by outcome', () => {
  const metrics = createRunMetrics();
  metrics.countDeliveries('mail', { sent: 3, refused: 1, later: 0, expired: 0 });
  metrics.countDeliveries('mail', { sent: 2, refused: 0, later: 0, expired: 0 });
  const lines = exposition(metrics.families()).split('\n');
  expect(lines.filter((line) => line.startsWith('barometer_mails_total'))).toEqual([
    'barometer_mails_total{outcome="sent"} 5',
    'barometer_mails_total{outcome="refused"} 1',
  ]);
});

describe('all metrics', () => {
  const NOW = Date.parse('2026-11-20T22:00:00Z');
  const { database, script } = databaseOfTheseTests();
  const metricsOf = (database: Database, counts = createServerCounts()) =>
    createMetrics({
      ...{ database, runs: createRunMetrics(), counts, http: createHttpMetrics(), version: '1.2.3' },
      ...{ missedPeriods: () => 2, now: () => NOW },
    });
  const text = (database: Database) => metricsOf(database)();

  beforeAll(async () => {
    await script(`
        insert into public.market_metrics (source, created_at) values ('live', '2026-11-20T21:00:00Z');
        insert into public.input_origins (input, provider, session, observed_at, source, created_at) values
          ('vix_close', 'cboe', '2026-11-19', '2026-11-19T21:00:00Z', 'live', '2026-11-19T21:00:00Z'),
          ('vix_close', 'yahoo', '2026-11-20', '2026-11-20T21:00:00Z', 'live', '2026-11-20T21:00:00Z'),
          ('put_call_total', null, null, null, 'live', '2026-11-20T21:00:00Z');
        insert into collector.runs (job, source, period, is_scheduled, started_at, finished_at, status) values
          ('collect', 'live', '2026-11-20T21:30:00Z', true, '2026-11-20T21:30:00Z', '2026-11-20T21:30:10Z', 'succeeded'),
          ('collect', 'live', '2026-11-20T21:30:00Z', true, '2026-11-20T21:50:00Z', '2026-11-20T21:50:10Z', 'failed')`);
  });

  it('have the ages of the newest rows and inputs, without a sample for missing values', async () => {
    const lines = (await text(database)).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'barometer_missed_periods 2',
        'barometer_session_age_seconds 3600',
        'barometer_sessions_behind 0',
        'barometer_last_success_age_seconds 1790',
        'barometer_input_age_seconds{input="vix_close",provider="yahoo"} 3600',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('barometer_input_age_seconds'))).toHaveLength(1);
    expect(lines.filter((line) => /NaN|undefined|null/.test(line))).toEqual([]);
  });

  it('count subscribers by state and deliveries by status, without addresses', async () => {
    await script(`
        insert into public.email_subscribers (email, is_active, confirmed_at, deactivated_because) values
          ('jane@example.org', true, now(), null), ('joe@example.org', false, now(), 'address refused');
        insert into mailer.issued_signals
          (week, status, reason, decided_at, session, verdict, score, formula_version, weights, inputs) values
          ('2026-11-09', 'issued', null, '2026-11-14T14:00Z', '2026-11-13', 'HOLD', 50, '1', '{}', '{}'),
          ('2026-11-16', 'withheld', 'Stale.', '2026-11-21T20:00Z', null, null, null, '1', '{}', '{}');
        insert into mailer.messages (channel, issue_id, name, content) values ('mail', 1, '2026-11-09', '{}');
        insert into mailer.deliveries (channel, message_id, subscriber_id, status, due_at, give_up_at)
          select 'mail', 1, id, 'sent', now(), now() from public.email_subscribers where is_active`);
    const lines = await text(database);
    expect(lines.split('\n')).toEqual(
      expect.arrayContaining([
        'barometer_subscribers{state="active"} 1',
        'barometer_subscribers{state="address_refused"} 1',
        'barometer_subscribers{state="unconfirmed"} 0',
        `barometer_signal_last_issued_timestamp_seconds ${Date.parse('2026-11-14T14:00Z') / 1000}`,
        'barometer_signal_withheld 1',
        'barometer_deliveries{status="sent"} 1',
        'barometer_deliveries{status="expired"} 0',
      ]),
    );
    expect(lines).not.toMatch(/@|jane|joe/);
  });

  it('share one read of a database that does not respond', async () => {
    let reads = 0;
    let wake = (_: Error) => {};
    const hanging = stubDatabase(() => {
      reads += 1;
      return new Promise((_, reject) => {
        wake = reject;
      });
    });
    const metrics = metricsOf(hanging);
    const responses = Promise.all([metrics(), metrics(), metrics()]);
    expect(reads).toBe(1);
    wake(new Error('gone'));
    expect(await responses).toHaveLength(3);
    void metrics();
    expect(reads).toBe(2);
  });

  it('are only those of the process while the database is unavailable', async () => {
    const away = stubDatabase(() => Promise.reject(new Error('gone')));
    const counts = createServerCounts();
    counts.reads.release = 2;
    counts.pages.made = 3;
    counts.pageSeconds = 0.25;
    const metrics = await metricsOf(away, counts)();
    expect(metrics).toContain('barometer_reads_total{by="release"} 2\nbarometer_reads_total{by="stale"} 0\n');
    expect(metrics).toContain('barometer_pages_total{outcome="made"} 3\n');
    expect(metrics).toContain(`barometer_build_info{version="1.2.3",node="${process.version}"} 1\n`);
    expect(metrics).toMatch(/^process_cpu_seconds_total \d/m);
    expect(metrics).toContain('barometer_page_seconds 0.25\n');
    expect(metrics).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
    expect(metrics).not.toContain('barometer_session_age_seconds');
  });
});
