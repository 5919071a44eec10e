import { nextPeriod } from '#collector/periods.ts';
import type { Database, Row } from '#database/port.ts';
import type { ReceivedMail } from '#tests/support/smtp.ts';
import type { Figure } from './figure.ts';

/** Number of SMTP connections of each server. */
const CONNECTIONS = 5;

interface Kept {
  readonly database: Database;
  /** The servers' time at the start and at the end (epoch ms). */
  readonly from: number;
  readonly until: number;
  /** The log lines of all servers. */
  readonly lines: readonly string[];
  /** Addresses of the subscribers of the weekly mail. */
  readonly subscribers: readonly string[];
  readonly mails: readonly ReceivedMail[];
  readonly acknowledged: readonly string[];
  readonly kills: number;
}

const none = { exactly: 0 } as const;

/** Checks that killed servers neither lost nor duplicated a run, mail or subscriber. */
export async function keptFigures(kept: Kept): Promise<Figure[]> {
  return [...(await runFigures(kept)), ...(await mailFigures(kept)), ...(await subscriberFigures(kept))];
}

const read = <R extends Row>(database: Database, sql: string) =>
  database.transaction((transaction) => transaction.query<R>(sql), { readOnly: true });

async function runFigures({ database, from, until, lines }: Kept): Promise<Figure[]> {
  const due: number[] = [];
  for (let period = nextPeriod(from); period <= until; period = nextPeriod(period)) due.push(period);
  const rows = await read<{ at: number; status: string }>(
    database,
    `select (extract(epoch from period) * 1000)::double precision as at, status from operations.job_runs`,
  );
  const done = new Set(rows.filter(({ status }) => status === 'succeeded').map(({ at }) => at));
  const times = new Map<string, number>();
  for (const line of lines) {
    const [, period] = /"event":"job done".*"period":"([^"]+)"/.exec(line) ?? [];
    if (period !== undefined) times.set(period, (times.get(period) ?? 0) + 1);
  }
  const twice = [...times.values()].filter((count) => count > 1).length;
  const doubled = await read(
    database,
    'select created_at from public.market_metrics group by created_at having count(*) > 1',
  );
  return [
    { what: 'runs that fell due', value: due.length, unit: '', bound: { atLeast: 1 } },
    { what: 'runs lost', value: due.filter((period) => !done.has(period)).length, unit: '', bound: none },
    { what: 'runs done twice', value: twice, unit: '', bound: none },
    { what: 'instants published twice', value: doubled.length, unit: '', bound: none },
  ];
}

async function mailFigures({ database, subscribers, mails, kills }: Kept): Promise<Figure[]> {
  const copies = new Map<string, number>();
  for (const { to } of mails) copies.set(to, (copies.get(to) ?? 0) + 1);
  // Only signals with deliveries count: those of the simulated past have no mails.
  const mailed = await read(
    database,
    'select distinct message_id from mailer.deliveries where message_id is not null',
  );
  const [notSent] = await read<{ count: number }>(
    database,
    "select count(*) as count from mailer.deliveries where status <> 'sent'",
  );
  return [
    { what: 'weekly signals with mails', value: mailed.length, unit: '', bound: { exactly: 1 } },
    { what: 'mails to send', value: subscribers.length, unit: '' },
    {
      what: 'subscribers without a mail',
      value: subscribers.filter((to) => !copies.has(to)).length,
      unit: '',
      bound: none,
    },
    {
      what: 'mails twice, killed before they were put down',
      value: mails.length - copies.size,
      unit: '',
      bound: { atMost: kills * CONNECTIONS },
    },
    { what: 'mails not put down as sent', value: notSent?.count ?? Number.NaN, unit: '', bound: none },
  ];
}

async function subscriberFigures({ database, acknowledged, subscribers }: Kept): Promise<Figure[]> {
  const rows = await read<{ email: string; times: number }>(
    database,
    'select email, count(*) as times from public.email_subscribers group by email',
  );
  const there = new Set(rows.map(({ email }) => email));
  const lost = [...acknowledged, ...subscribers].filter((email) => !there.has(email));
  return [
    { what: 'subscribers who were acknowledged', value: acknowledged.length, unit: '' },
    { what: 'of them lost', value: lost.length, unit: '', bound: none },
    {
      what: 'subscribers there twice',
      value: rows.filter(({ times }) => times > 1).length,
      unit: '',
      bound: none,
    },
  ];
}
