import type { Database } from '#database/port.ts';
import { eraseFromOutbox, eraseSubscriber } from '#mailer/subscribers/erase.ts';
import { exportSubscribers } from '#mailer/subscribers/export-subscribers.ts';
import type { Operations } from '#server/http/operator-route.ts';
import type { Mailing } from './mailing.ts';
import type { SignalSent } from './signal-report.ts';

/** What `subscribers erase` removed. */
export interface Erased {
  readonly rows: number;
  readonly files: number;
}

/** Decides what is due, or this week's signal `atOnce`, and sends what is due. */
export async function sendSignal(
  mailing: Mailing,
  { atOnce }: { atOnce: boolean },
  report: Parameters<Mailing['send']>[0],
): Promise<SignalSent> {
  const decided = await mailing.decideByHand({ atOnce });
  const { smtpUrl, outboxFolder } = mailing.settings;
  return { decided, report: await mailing.send(report), outbox: smtpUrl === null ? outboxFolder : null };
}

/** Removes an address from the database and from the outbox. */
export async function eraseEverywhere(
  database: Database,
  outboxFolder: string,
  address: string,
): Promise<Erased> {
  const rows = await eraseSubscriber(database, address);
  return { rows, files: await eraseFromOutbox(outboxFolder, address) };
}

const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;

/** What the mail's commands ask of a running server. */
export function mailOperations(database: Database, mailing: () => Mailing): Operations {
  return {
    'signal-send': (body, report) =>
      sendSignal(mailing(), { atOnce: fieldOf(body, 'now') === true }, (progress) =>
        report(JSON.stringify(progress)),
      ),
    'signal-preview': () => mailing().preview(),
    'subscribers-export': (_, report) => exportSubscribers(database, report),
    'subscribers-erase': (body) =>
      eraseEverywhere(database, mailing().settings.outboxFolder, String(fieldOf(body, 'address') ?? '')),
  };
}
