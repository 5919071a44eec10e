import { type Database, queryOnce } from '#database/port.ts';
import type { ClaimedDelivery } from '#mailer/deliver/deliveries.ts';
import { addMails } from '#mailer/deliver/enqueue.ts';
import { type SendOptions, sendDue } from '#mailer/deliver/send-due.ts';
import { createMailSender, type MailMessage, type MailTransport } from '#mailer/deliver/send-mails.ts';
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
  returnPath: mailSettings().from.address,
  subject: 'HOLD 54',
  html: '<p>HOLD 54</p>',
  text: 'HOLD 54',
  messageId: '<5f2c@signal.example>',
  date: ISSUED_AT,
  unsubscribeUrl: 'https://signal.example/unsubscribe/token',
  ...changes,
});

/** A stored mail, large enough to be interrupted in the middle of its content. */
const LONG_MAIL = {
  subject: 'HOLD 54',
  html: `<p>${'A line of the weekly signal. '.repeat(1_000)}</p>`,
  text: 'HOLD 54',
};

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
    const message = { about: { issueId: issue?.id ?? 0 }, name: week, content: mail };
    await addMails(transaction, { ...message, at: new Date(at).toISOString() });
  });
}

/** Issues the signal of the n-th week from `ISSUED_AT`. Returns the time of issue. */
export async function issueWeek(database: Database, weeksOn = 0, mail: object = LONG_MAIL): Promise<number> {
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
export interface SendChanges extends Partial<Omit<SendOptions, 'database' | 'sender'>> {
  readonly settings?: MailSettings;
  readonly signingKey?: Uint8Array;
  /** Runs before a mail is made. */
  readonly before?: (delivery: ClaimedDelivery) => Promise<void>;
}

/** Sends due mails as a process would. */
export function sendNow(
  database: Database,
  transport: MailTransport,
  { settings, signingKey = new Uint8Array(32), before, ...changes }: SendChanges & Pick<SendOptions, 'now'>,
) {
  const sender = createMailSender({
    ...{ database, transport, signingKey, now: changes.now },
    settings: settings ?? mailSettings({ smtpUrl: 'smtp://127.0.0.1' }),
  });
  return sendDue({
    database,
    sender: {
      ...sender,
      async send(delivery, message) {
        await before?.(delivery);
        return sender.send(delivery, message);
      },
    },
    holder: 'a test',
    signal: new AbortController().signal,
    // The tests end before a claim needs a renewal.
    every: () => () => undefined,
    ...changes,
  });
}
