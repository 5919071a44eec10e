import { type Database, queryOnce } from '#database/port.ts';
import type { MailMessage, MailTransport } from '#mailer/deliver/mail-message.ts';
import { addMessage, enqueueMails } from '#mailer/deliver/messages.ts';
import { type SendOptions, sendDue } from '#mailer/deliver/send-due.ts';
import { createMailSender, type MailSenderOptions, type MakeMail } from '#mailer/deliver/send-mails.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';

const DAY = 86_400_000;
/** A Saturday, 9:00 in New York. */
export const ISSUED_AT = Date.parse('2026-11-21T14:00:00Z');

export function mailSettings(changes: Partial<MailSettings> = {}): MailSettings {
  return {
    productName: 'Barometer',
    publicUrl: 'https://signal.example',
    smtpUrl: null,
    from: { name: 'Barometer', address: 'signal@signal.example' },
    bounceAddress: null,
    postalAddress: null,
    perSecond: 10_000,
    outboxFolder: '',
    doubleOptIn: false,
    signalTime: { weekday: 6, minutes: 540 },
    ...changes,
  };
}

/** A mail without personal data except its recipient. */
export const mailTo = (to: string, changes: Partial<MailMessage> = {}): MailMessage => ({
  from: mailSettings().from,
  to,
  returnPath: null,
  subject: 'HOLD 54',
  html: '<p>HOLD 54</p>',
  text: 'HOLD 54',
  messageId: '<5f2c@signal.example>',
  date: ISSUED_AT,
  unsubscribeUrl: 'https://signal.example/unsubscribe/token',
  ...changes,
});

/** The mail of a delivery, large enough to be interrupted in the middle of its content. */
export const plainMail: MakeMail = async ({ id, recipient }) =>
  mailTo(recipient, {
    html: `<p>${'A line of the weekly signal. '.repeat(1_000)}</p>`,
    messageId: `<delivery-${id}@signal.example>`,
  });

/** Returns `count` different addresses. */
export const addresses = (count: number) =>
  Array.from({ length: count }, (_, at) => `reader-${at}@example.com`);

/** Adds subscribers as an operator, without the limit per client. */
export async function addSubscribers(database: Database, addresses: readonly string[]): Promise<void> {
  await queryOnce(
    database,
    `insert into public.email_subscribers (email, is_active)
       select value, true from json_array_elements_text($1::json)`,
    [JSON.stringify(addresses)],
  );
}

/** Issues the signal of a week to all subscribers, as the ledger does. `week` is its Monday, `at` the time of issue. */
export async function issueSignal(
  database: Database,
  { week, at, mail }: { week: string; at: number; mail: object },
): Promise<void> {
  await database.transaction(async (transaction) => {
    const [issue] = await transaction.query<{ id: number }>(
      `insert into mailer.issued_signals
         (week, status, decided_at, session, verdict, score, formula_version, weights, inputs)
       values ($1, 'issued', $2, $1, 'HOLD', 54, '1', '{}', '{}') returning id`,
      [week, new Date(at).toISOString()],
    );
    const about = { issueId: issue?.id ?? 0 };
    const messageId =
      (await addMessage(transaction, { channel: 'mail', about, name: week, content: mail })) ?? 0;
    const mails = { messageId, at: new Date(at).toISOString(), within: '48 hours', isAlert: false };
    await enqueueMails(transaction, mails);
  });
}

/** Issues the signal of the n-th week from `ISSUED_AT`. Returns the time of issue. */
export async function issueWeek(database: Database, weeksOn = 0, mail: object = {}): Promise<number> {
  const at = ISSUED_AT + weeksOn * 7 * DAY;
  await issueSignal(database, { week: new Date(at - 5 * DAY).toISOString().slice(0, 10), at, mail });
  return at;
}

/** Issues the signal of the week after the newest decision, now: demonstration data end at the current date. */
export async function issueNextWeek(database: Database, mail: object): Promise<number> {
  const at = Date.now();
  const [next] = await queryOnce<{ week: string }>(
    database,
    `select (max(week) + 7)::text as week from mailer.issued_signals`,
  );
  if (next === undefined) throw new Error('The demonstration has no decision.');
  await issueSignal(database, { week: next.week, at, mail });
  return at;
}

export interface StoredDelivery {
  [column: string]: unknown;
  email: string;
  status: string;
  attempts: number;
  reply: string | null;
  address_refused: boolean;
}

/** The deliveries of all current subscribers, in order. */
export const storedDeliveries = (database: Database) =>
  queryOnce<StoredDelivery>(
    database,
    `select email, status, attempts, reply, address_refused from mailer.deliveries
       join public.email_subscribers as subscriber on subscriber.id = subscriber_id order by deliveries.id`,
  );

/** The options of a run that a test may change. */
export type SendChanges = Partial<SendOptions & MailSenderOptions>;

/** Sends due mails as a process would, with plain mails. */
export function sendNow(
  database: Database,
  transport: MailTransport,
  changes: SendChanges & Pick<SendOptions, 'now'>,
) {
  const sender = createMailSender({
    ...{ database, transport, signingKey: new Uint8Array(32), makeMail: plainMail },
    settings: mailSettings({ smtpUrl: 'smtp://127.0.0.1' }),
    ...changes,
  });
  return sendDue({
    database,
    sender,
    holder: 'a test',
    signal: new AbortController().signal,
    // The tests end before a claim needs a renewal.
    every: () => () => undefined,
    ...changes,
  });
}
