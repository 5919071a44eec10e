import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { renderForAll } from '#mailer/render/render-weekly-signal.ts';
import { noise } from '#tests/support/bars.ts';
import { addSubscribers, issueWeek, mailSettings, storedDeliveries } from '#tests/support/deliveries.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import type { MailChildFigures, MailChildSettings } from '#tests/support/mail-child.ts';
import { type MailProcess, startMailProcess } from '#tests/support/mail-process.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';
import { wholeSignal } from '#tests/support/weekly-signal.ts';
import type { Figure } from './figure.ts';

const SUBSCRIBERS = 10_000;
const KILLS = 5;
/** Number of SMTP connections of each process. */
const CONNECTIONS = 5;
/** Number of mails in runs that measure only the speed. */
const FEW = 2_000;

const MIGRATIONS = resolve('supabase', 'migrations');
const PROGRAM = fileURLToPath(new URL('./mail-child.js', import.meta.url));

type Place = Pick<MailChildSettings, 'databaseUrl' | 'folder'>;

/**
 * Sends the mails of a week with two processes over a real Postgres, kills one of them repeatedly, and counts the
 * recipients. Then times one process over each database, with SMTP and with the outbox.
 */
export async function benchMail(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const postgres = await startPostgres({ isDurable: true });
  const server = await startSmtp({ keepsTexts: false });
  try {
    const database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    await acceptAnyTime(database);
    const place: Place = { databaseUrl: postgres.url };
    const figures = await sendKilled({ database, place, server, folder });
    await database.transaction((transaction) => transaction.query('delete from public.email_subscribers'));
    figures.push(...(await timeAlone('Postgres', { database, place, server, folder })));
    await database.close();
    return [...figures, ...(await timeEmbedded(server, folder))];
  } finally {
    await server.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Bench {
  database: Database;
  place: Place;
  server: SmtpForTest;
  folder: string;
}

const addressesOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}-${at}@example.com`);

async function sendKilled({ database, place, server, folder }: Bench): Promise<Figure[]> {
  const addresses = addressesOf('reader', SUBSCRIBERS);
  await addSubscribers(database, addresses);
  const now = await issueWeek(database, 0, renderForAll(wholeSignal(), mailSettings()));
  let started = 0;
  const start = () => {
    started += 1;
    return startMailProcess(PROGRAM, join(folder, `sender-${started}.json`), {
      ...{ ...place, now, smtpUrl: server.url, isRendered: true, againAfter: 500 },
      holder: `sender ${started}`,
    });
  };
  const elapsed = seconds();
  let atFullPace = 0;
  const whole = start();
  const other = await killAndRestart(start, server, () => {
    atFullPace = elapsed();
  });
  const ended = await Promise.all([whole.ended, other.ended]);
  const total = elapsed();

  const counted = new Map<string, number>();
  for (const { to } of server.mails) counted.set(to, (counted.get(to) ?? 0) + 1);
  const without = addresses.filter((to) => !counted.has(to)).length;
  const copies = server.mails.length - counted.size;
  const finished = await storedDeliveries(database);
  const notSent = finished.filter(({ status }) => status !== 'sent').length;
  return [
    { what: 'subscribers', value: SUBSCRIBERS, unit: '' },
    { what: 'processes, one of them killed', value: 2, unit: '' },
    { what: 'kills', value: KILLS, unit: '', bound: { exactly: KILLS } },
    { what: 'mails received', value: server.mails.length, unit: '' },
    { what: 'subscribers without a mail', value: without, unit: '', bound: { exactly: 0 } },
    { what: 'copies beyond one', value: copies, unit: '', bound: { atMost: KILLS * CONNECTIONS } },
    { what: 'deliveries not recorded as sent', value: notSent, unit: '', bound: { exactly: 0 } },
    { what: 'until all but what was claimed by the killed', value: atFullPace, unit: 's' },
    { what: 'mails a second until then', value: SUBSCRIBERS / atFullPace, unit: '/s' },
    { what: 'until the last, their claims run out', value: total, unit: 's' },
    {
      what: 'peak memory of a sender',
      value: Math.max(...ended.map((each) => each?.peak ?? 0)) / 1e6,
      unit: 'MB',
    },
  ];
}

/**
 * Kills a process in each part of the sending, at a random moment, and starts another one. Returns the last process.
 */
async function killAndRestart(
  start: () => MailProcess,
  server: SmtpForTest,
  isNearlyDone: () => void,
): Promise<MailProcess> {
  const random = noise(20_261_121);
  const share = SUBSCRIBERS / (KILLS + 1);
  const wantedOf = (kill: number) => Math.floor((kill + 0.2 + 0.8 * random()) * share);
  let wanted = 0;
  let reached = () => {};
  server.meanwhile = () => {
    if (server.mails.length >= wanted) reached();
    if (server.mails.length === SUBSCRIBERS - KILLS * CONNECTIONS) isNearlyDone();
  };
  let sender = start();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await sender.sending;
    await new Promise<void>((resolve) => {
      reached = resolve;
      wanted = wantedOf(kill);
    });
    sender.kill();
    await sender.ended;
    sender = start();
  }
  reached = () => {};
  return sender;
}

async function timeAlone(name: string, { database, place, server, folder }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [way, smtpUrl] of [
    ['by SMTP', server.url],
    ['into the outbox', null],
  ] as const) {
    await addSubscribers(database, addressesOf(`${name}-${way}`.replaceAll(' ', '-'), FEW));
    // Allows the outbox again. The product itself never does after it has sent by SMTP.
    await database.transaction((transaction) =>
      transaction.query('update mailer.settings set sends_by_smtp = false'),
    );
    const now = await issueWeek(
      database,
      smtpUrl === null ? 2 : 1,
      renderForAll(wholeSignal(), mailSettings()),
    );
    const sent = await timeOne({ ...place, now, smtpUrl }, folder);
    figures.push(rateFigure(`${name}, ${way}, one process`, sent));
    await database.transaction((transaction) => transaction.query('delete from public.email_subscribers'));
  }
  return figures;
}

async function timeEmbedded(server: SmtpForTest, parent: string): Promise<Figure[]> {
  const folder = join(parent, 'database');
  const open = () => openEmbedded({ folder, migrationsFolder: MIGRATIONS });
  const place: Place = { databaseUrl: null, folder };
  const figures: Figure[] = [];
  for (const [at, smtpUrl] of [server.url, null].entries()) {
    // Only one process may open the embedded database.
    const database = await open();
    await acceptAnyTime(database);
    await addSubscribers(database, addressesOf(`embedded-${at}`, FEW));
    const now = await issueWeek(database, at, renderForAll(wholeSignal(), mailSettings()));
    await database.close();
    const sent = await timeOne({ ...place, now, smtpUrl }, parent);
    const way = smtpUrl === null ? 'into the outbox' : 'by SMTP';
    figures.push(rateFigure(`embedded database, ${way}`, sent));
    const again = await open();
    await again.transaction((transaction) => transaction.query('delete from public.email_subscribers'));
    await again.close();
  }
  return figures;
}

async function timeOne(
  settings: Place & Pick<MailChildSettings, 'now' | 'smtpUrl'>,
  folder: string,
): Promise<MailChildFigures & { seconds: number }> {
  const sender = startMailProcess(PROGRAM, join(folder, 'alone.json'), {
    ...{ ...settings, holder: 'alone', isRendered: true, againAfter: null },
    outboxFolder: join(folder, 'outbox'),
  });
  await sender.sending;
  const elapsed = seconds();
  const ended = await sender.ended;
  if (ended === null) throw new Error('The process that sends was killed.');
  if (ended.sent !== FEW) throw new Error(`Only ${ended.sent} of ${FEW} mails were sent.`);
  return { ...ended, seconds: elapsed() };
}

const rateFigure = (what: string, { sent, seconds: took }: { sent: number; seconds: number }): Figure => ({
  what,
  value: sent / took,
  unit: '/s',
});

function seconds(): () => number {
  const started = performance.now();
  return () => (performance.now() - started) / 1000;
}
