import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { queryOnce } from '#database/port.ts';
import { addresses } from '#tests/support/deliveries.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { movedClock, type Product, runCommand, startProduct } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';

// These times are past, because the database refuses rows that are dated later than its own clock.
/** A time before the signal of the week falls due (Saturday 9:00 in New York). */
const FRIDAY_NIGHT = '2025-11-22T02:00:00Z';
const NEXT_SATURDAY = '2025-11-29T14:05:00Z';
const SATURDAY_AFTER = '2025-12-06T14:05:00Z';
const LOGIN = { user: 'me', pass: 'hush/hush' };
/** Further subscribers. Together with the first two they stay below the hourly limit of one client. */
const MORE = addresses(16);
/** The recipients of the second signal. */
const RECIPIENTS = ['jane@example.org', 'new@example.org', ...MORE];
/** Number of mails sent at the same time. An interrupted command finishes these mails. */
const CONNECTIONS = 5;

const data = folderForTests();
const outbox = join(data, 'outbox');
/** Output of all commands and servers, except the export. */
const output: string[] = [];

const at = (instant: string) => ({
  BAROMETER_DATA_DIR: data,
  ...movedClock(Date.parse(instant) - Date.now()),
});

async function run(
  command: string,
  settings: Record<string, string>,
  begun?: Parameters<typeof runCommand>[2],
) {
  const outcome = await runCommand(command.split(' '), settings, begun);
  output.push(outcome.stdout, outcome.stderr);
  return outcome;
}

async function subscribe({ url }: Product, email: string): Promise<number> {
  const apikey = /sb_publishable_[\w-]{32}/.exec(await (await fetch(url)).text())?.[0] ?? '';
  const { status } = await fetch(`${url}/rest/v1/email_subscribers`, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, is_active: true }),
  });
  return status;
}

/** Makes the pending mails due at a time of the products here, because the database's own clock is ahead of theirs. */
async function dateDeliveries(instant: string): Promise<void> {
  const database = await openEmbedded({ folder: join(data, 'database') });
  await queryOnce(
    database,
    `update mailer.deliveries set due_at = $1, give_up_at = $1::timestamptz + interval '1 day' where status = 'pending'`,
    [instant],
  );
  await database.close();
}

const headerOf = (mail: Email, key: string) => mail.headers.find((header) => header.key === key)?.value;
const linkOf = (mail: Email) => headerOf(mail, 'list-unsubscribe')?.replace(/^<|>$/g, '') ?? '';
/** The complete mails. One that is being written has another ending. */
const readOutbox = () =>
  Promise.all(
    readdirSync(outbox)
      .filter((name) => name.endsWith('.eml'))
      .map((name) => PostalMime.parse(readFileSync(join(outbox, name)))),
  );

describe('the weekly signal of a demonstration', () => {
  let product: Product;
  let smtp: SmtpForTest;
  const bySmtp = () => ({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Kompass <signal@example.net>',
    PUBLIC_URL: 'https://signal.example',
    MAIL_PER_SECOND: '1000',
  });
  beforeAll(async () => {
    smtp = await startSmtp({ login: LOGIN });
    await copyTemplate(join(data, 'database'));
    const { BAROMETER_DATA_DIR, ...settings } = at(FRIDAY_NIGHT);
    product = await startProduct(BAROMETER_DATA_DIR, settings);
  });
  afterAll(async () => {
    await product.stop();
    await smtp.close();
  });

  it('goes to one address with --test, without a record', async () => {
    const tried = await run('signal send --test me@example.org', { ...at(FRIDAY_NIGHT), ...bySmtp() });
    expect(tried).toEqual({
      code: 0,
      stdout: 'The test mail was sent. Nothing was recorded. Its unsubscribe link is invalid.\n',
      stderr: '',
    });
    const [mail, ...more] = smtp.mails.splice(0);
    expect([mail?.to, more]).toEqual(['me@example.org', []]);
    expect((await PostalMime.parse(mail?.raw ?? '')).subject).toMatch(/^Test: (BUY|HOLD|SELL) /);
    const report = await run('doctor', at(FRIDAY_NIGHT));
    expect(report.stdout).not.toContain('Mails of the newest signal');
    const kept = await run('signal send --test me@example.org', at(FRIDAY_NIGHT));
    expect(kept.stderr).toMatch(/^PUBLIC_URL is not set, so the links in the mails lead to http:/);
    const file =
      /^The test mail was written to (\S+\.eml): SMTP_URL is not set\./.exec(kept.stdout)?.[1] ?? '';
    expect((await PostalMime.parse(readFileSync(file))).to).toMatchObject([{ address: 'me@example.org' }]);
    rmSync(file);
  });

  it('is sent once to each subscriber, with links to this server [S1.3] [S2.40]', async () => {
    expect(await subscribe(product, 'Jane@Example.org')).toBe(201);
    expect(await subscribe(product, 'joe@example.org')).toBe(201);
    const folder = join(data, 'preview');
    const preview = await run(`signal preview --dir ${folder}`, at(FRIDAY_NIGHT));
    expect(preview).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Subject: (BUY|HOLD|SELL) /) });
    expect(readdirSync(folder).sort()).toEqual(['eml', 'html', 'txt'].map((form) => `weekly-signal.${form}`));
    const settings = { ...at(FRIDAY_NIGHT), PORT: new URL(product.url).port };
    const unasked = await run('signal send --now', settings);
    expect(unasked).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '--now issues the signal of the week of Mon 17 Nov 2025 before it is due (Sat 22 Nov 2025, 09:00 New York time); that week gets no other signal. Confirm with --yes.\n',
    });
    const first = await run('signal send --now --yes', settings);
    expect(first.stdout).toMatch(
      /^The signal of the week of Mon 17 Nov 2025 was issued: (BUY|HOLD|SELL) \d+\.\d\.\n/,
    );
    expect(first.code).toBe(0);
    // The command wakes the server, and both send.
    await expect.poll(async () => (await readOutbox()).length).toBe(2);
    const mails = await readOutbox();
    expect(mails.map(({ to }) => to?.[0]?.address).sort()).toEqual(['jane@example.org', 'joe@example.org']);
    for (const mail of mails) {
      expect(mail.subject).toMatch(/^(BUY|HOLD|SELL) \d.*\(demo data\)/);
      expect(mail.from).toMatchObject({ name: 'Barometer', address: 'signal@localhost' });
      expect(headerOf(mail, 'list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
      expect(linkOf(mail)).toMatch(new RegExp(`^${product.url}/unsubscribe/[\\w-]{43}$`));
      for (const part of [mail.html, mail.text]) expect(part).toContain(linkOf(mail));
    }
    const again = await run('signal send --now --yes', settings);
    expect(again.stdout).toMatch(/was issued on Fri 21 Nov 2025, 21:\d\d .*\nNo mail was sent\.\n$/s);
    expect(await readOutbox()).toHaveLength(2);
  });

  it.each(['signal preview --dir', 'export'])(
    '%s fails with one sentence if the folder cannot be made',
    async (command) => {
      const { code, stdout, stderr } = await run(`${command} /proc/nope/deeper`, at(FRIDAY_NIGHT));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trim()).toMatch(
        /^(The folder )?\/proc\/nope\/deeper cannot be written \(ENOENT\)[^\n]*\.$/,
      );
    },
  );

  it('can be unsubscribed from by a POST to the link in the mail', async () => {
    const link = linkOf(
      (await readOutbox()).find(({ to }) => to?.[0]?.address === 'joe@example.org') as Email,
    );
    const left = await fetch(link, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(left.status).toBe(200);
    const { stdout } = await runCommand(['subscribers', 'export'], at(FRIDAY_NIGHT));
    const rows = stdout.trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',').filter((_, column) => column < 2 || column > 5))).toEqual([
      ['email', 'is_active', 'deactivated_because'],
      ['jane@example.org', 'true', ''],
      ['joe@example.org', 'false', 'left'],
    ]);
    const report = await run('doctor', at(FRIDAY_NIGHT));
    expect(report.stdout).toMatch(/ok {5}The next weekly signal falls due on Sat 29 Nov 2025, 09:00/);
    expect(report.stdout).toMatch(/ok {5}Mails of the newest signal: 2 sent\./);
    expect(report.stdout).toMatch(/ok {5}Subscribers: 1 active, 1 left\./);
    for (const email of MORE) expect(await subscribe(product, email)).toBe(201);
    await product.stop();
    output.push(product.output());
  });

  it('is sent after a confirmation by the button if SUBSCRIBE_CONFIRM is set', async () => {
    const { BAROMETER_DATA_DIR, ...settings } = {
      ...at(FRIDAY_NIGHT),
      SUBSCRIBE_CONFIRM: 'true',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'signal@example.net',
      PUBLIC_URL: 'https://signal.example',
    };
    product = await startProduct(BAROMETER_DATA_DIR, settings);
    expect(await (await fetch(product.url)).text()).toContain('"doubleOptIn":true');
    expect(await subscribe(product, 'new@example.org')).toBe(201);
    await dateDeliveries(FRIDAY_NIGHT);
    await run('signal send', { ...at(FRIDAY_NIGHT), ...settings });
    // Poll, because the server may be sending the same mail at this time.
    await expect.poll(() => smtp.mails.length).toBe(1);
    const confirmation = await PostalMime.parse(smtp.mails.at(-1)?.raw ?? '');
    expect(confirmation).toMatchObject({
      to: [{ address: 'new@example.org' }],
      subject: 'Confirm your subscription to Barometer',
    });
    expect(headerOf(confirmation, 'list-unsubscribe')).toBeUndefined();
    const link =
      /^https:\/\/signal\.example(\/confirm\/[\w-]{43})$/m.exec(confirmation.text ?? '')?.[1] ?? '';
    expect(await (await fetch(product.url + link)).text()).toContain('<form method="post">');
    expect((await run('doctor', at(FRIDAY_NIGHT))).stdout).toMatch(/Subscribers: .*1 unconfirmed/);
    expect((await fetch(product.url + link, { method: 'POST' })).status).toBe(200);
    smtp.mails.length = 0;
    await product.stop();
    output.push(product.output());
  });

  it('is completed over SMTP by a server after a command was interrupted', async () => {
    const settings = { ...at(NEXT_SATURDAY), ...bySmtp() };
    expect((await run('collect', settings)).code).toBe(0);
    const interrupted = await run('signal send', settings, (child) => {
      smtp.meanwhile = () => {
        smtp.meanwhile = () => undefined;
        child.kill('SIGINT');
      };
    });
    expect(interrupted.stdout).toMatch(
      /^The signal of the week of Mon 24 Nov 2025 was issued: .*\n\d+ mails? sent\./,
    );
    expect(interrupted.stdout).toMatch(/mails wait to be sent/);
    expect(interrupted.stderr).toMatch(new RegExp(`^sending: \\d+ of ${RECIPIENTS.length}$`, 'm'));
    expect(interrupted.code).toBe(1);
    expect(smtp.mails.length).toBeLessThanOrEqual(2 * CONNECTIONS);
    expect((await run('signal send --to-outbox', settings)).code).toBe(2);
    // The server sends the rest of the mails by itself, without a command.
    const { BAROMETER_DATA_DIR, ...others } = settings;
    product = await startProduct(BAROMETER_DATA_DIR, others);
    await expect.poll(() => smtp.mails.length).toBe(RECIPIENTS.length);
    const rest = await run('signal send', settings);
    expect(rest.stdout).toMatch(
      /was issued on Sat 29 Nov 2025, 09:\d\d New York time.*\nNo mail was sent\.\n$/s,
    );
    expect(rest.code).toBe(0);
    expect(smtp.mails.map(({ to }) => to).sort()).toEqual([...RECIPIENTS].sort());
    const mail = await PostalMime.parse(smtp.mails[0]?.raw ?? '');
    expect(linkOf(mail)).toMatch(/^https:\/\/signal\.example\/unsubscribe\/[\w-]{43}$/);
    expect(mail.from).toMatchObject({ name: 'Kompass', address: 'signal@example.net' });
  });

  it('is erased with its address', async () => {
    const erased = await run('subscribers erase JANE@example.org', at(NEXT_SATURDAY));
    expect(erased).toEqual({
      code: 0,
      stdout: 'Erased: 1 subscription and 1 mail in the outbox.\n',
      stderr: '',
    });
    expect((await readOutbox()).map(({ to }) => to?.[0]?.address)).toEqual(['joe@example.org']);
    await product.stop();
    output.push(product.output());
  });

  it('is withheld without a mail if the rows are old', async () => {
    const before = [smtp.mails.length, (await readOutbox()).length];
    const settings = at(SATURDAY_AFTER);
    const withheld = await run('signal send', settings);
    expect(withheld.stdout).toMatch(
      /^The signal of the week of Mon 1 Dec 2025 was withheld; no mail is sent\. The newest market rows are of Fri 28 Nov 2025, close, .* has closed since\. Run collect, or doctor for the reason\. The next/,
    );
    expect(withheld.code).toBe(1);
    expect([smtp.mails.length, (await readOutbox()).length]).toEqual(before);
  });

  it('prints no address, link or login', () => {
    for (const event of ['mails are written to the outbox', 'mails sent'])
      expect(output.join('\n')).toContain(`"event":"${event}"`);
    expect(output.join('\n')).not.toMatch(/hush|example\.(org|com)|\/unsubscribe\/|\/confirm\//i);
  });
});
