import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { addSubscribers, issueWeek, mailSettings } from '#tests/support/deliveries.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import type { MailChildFigures, MailChildSettings } from '#tests/support/mail-child.ts';
import { startMailProcess } from '#tests/support/mail-process.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';
import { wholeSignal } from '#tests/support/weekly-signal.ts';
import { seconds, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';

/** Number of mails of each run. */
const MAILS = 2_000;

const MIGRATIONS = resolve('supabase', 'migrations');
const PROGRAM = fileURLToPath(new URL('./mail-child.js', import.meta.url));

type Place = Pick<MailChildSettings, 'databaseUrl' | 'folder'>;

/** Times one process that sends over each kind of database, with SMTP and with the outbox. */
export function benchMail(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const folder = temporaryFolder(atEnd);
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const server = await startSmtp({ keepsTexts: false });
    atEnd(() => server.close());
    const own = join(folder, 'database');
    const migrationsFolder = MIGRATIONS;
    return [
      ...(await timeOver({
        ...{ name: 'Postgres', place: { databaseUrl: postgres.url }, server, folder },
        open: () => openPostgres({ url: postgres.url, migrationsFolder }),
      })),
      ...(await timeOver({
        ...{ name: 'embedded database', place: { databaseUrl: null, folder: own }, server, folder },
        open: () => openEmbedded({ folder: own, migrationsFolder }),
      })),
    ];
  });
}

interface Bench {
  name: string;
  place: Place;
  server: SmtpForTest;
  folder: string;
  open: () => Promise<Database>;
}

async function timeOver({ name, place, server, folder, open }: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [at, smtpUrl] of [server.url, null].entries()) {
    // Only one process may open the embedded database.
    const database = await open();
    await acceptAnyTime(database);
    // Allows the outbox again. The product itself never does after it has sent by SMTP.
    await queryOnce(database, 'update mailer.settings set sends_by_smtp = false');
    await addSubscribers(
      database,
      Array.from({ length: MAILS }, (_, reader) => `reader-${at}-${reader}@example.com`),
    );
    const now = await issueWeek(database, at, renderWeeklySignal(wholeSignal(), mailSettings()));
    await database.close();
    const { sent, seconds } = await timeOne({ ...place, now, smtpUrl }, folder);
    const way = smtpUrl === null ? 'into the outbox' : 'by SMTP';
    figures.push({ what: `${name}, ${way}, one process`, value: sent / seconds, unit: '/s' });
    const again = await open();
    await queryOnce(again, 'delete from public.email_subscribers');
    await again.close();
  }
  return figures;
}

async function timeOne(
  settings: Place & Pick<MailChildSettings, 'now' | 'smtpUrl'>,
  folder: string,
): Promise<MailChildFigures & { seconds: number }> {
  const sender = startMailProcess(PROGRAM, join(folder, 'alone.json'), {
    ...{ ...settings, holder: 'alone', againAfter: null },
    outboxFolder: join(folder, 'outbox'),
  });
  await sender.sending;
  const elapsed = seconds();
  const ended = await sender.ended;
  if (ended === null) throw new Error('The process that sends was killed.');
  if (ended.sent !== MAILS) throw new Error(`Only ${ended.sent} of ${MAILS} mails were sent.`);
  return { ...ended, seconds: elapsed() };
}
