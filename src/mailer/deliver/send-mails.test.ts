import { createTransport } from 'nodemailer';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { sampleSignal } from '#tests/support/weekly-signal.ts';
import { completeMail } from '../render/mail-page.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import { composeMessage, type MailMessage } from './send-mails.ts';

const UNSUBSCRIBE = `https://barometer.example/unsubscribe/${'Ab-_'.repeat(50)}`;
const FRAME = { productName: 'Barometer', publicUrl: 'https://barometer.example', postalAddress: null };
const MAIL = completeMail(renderWeeklySignal(sampleSignal(), FRAME), {
  unsubscribeUrl: UNSUBSCRIBE,
  checkpoint: null,
});
const MESSAGE: MailMessage = {
  ...MAIL,
  from: { name: 'Barometer', address: 'signal@barometer.example' },
  to: 'jane@example.com',
  returnPath: 'signal@barometer.example',
  messageId: '<0123456789abcdef@barometer.example>',
  date: Date.parse('2026-11-21T14:00:00Z'),
  unsubscribeUrl: UNSUBSCRIBE,
};

const stream = createTransport({ streamTransport: true, buffer: true });

/** Returns a mail in the form in which nodemailer sends it. */
async function rawOf(over: Partial<MailMessage> = {}) {
  const { message, envelope } = await stream.sendMail(composeMessage({ ...MESSAGE, ...over }));
  const raw = (message as Buffer).toString('latin1');
  const [head = ''] = raw.split('\r\n\r\n');
  const headers = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return { raw, head, headers, envelope, parsed: await PostalMime.parse(message as Buffer) };
}

describe('a composed mail', () => {
  it('has exactly these headers, once each', async () => {
    const { headers } = await rawOf();
    expect(headers.map((line) => line.slice(0, line.indexOf(':'))).sort()).toEqual([
      'Auto-Submitted',
      'Content-Type',
      'Date',
      'From',
      'List-ID',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'MIME-Version',
      'Message-ID',
      'Subject',
      'To',
    ]);
    expect(headers).toContain('From: Barometer <signal@barometer.example>');
    expect(headers).toContain('To: jane@example.com');
    expect(headers).toContain(`Subject: ${MAIL.subject}`);
    expect(headers).toContain('Message-ID: <0123456789abcdef@barometer.example>');
    expect(headers).toContain('Date: Sat, 21 Nov 2026 14:00:00 +0000');
    // One-click unsubscribe (RFC 8058).
    expect(headers).toContain(`List-Unsubscribe: <${UNSUBSCRIBE}>`);
    expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(headers).toContain('List-ID: <weekly-signal.barometer.example>');
  });

  it('has no list headers without an unsubscribe URL', async () => {
    const { headers } = await rawOf({ unsubscribeUrl: null });
    expect(headers.filter((line) => line.startsWith('List-'))).toEqual([]);
    expect(headers).toContain('Auto-Submitted: auto-generated');
  });

  it('is parsed to the same content, with the plain part first', async () => {
    const { raw, parsed } = await rawOf();
    expect(raw.match(/^Content-Type: [\w/]+/gm)).toEqual([
      'Content-Type: multipart/alternative',
      'Content-Type: text/plain',
      'Content-Type: text/html',
    ]);
    expect(parsed.text?.replaceAll('\r\n', '\n').trimEnd()).toBe(MAIL.text.trimEnd());
    expect(parsed.html?.replaceAll('\r\n', '\n').trimEnd()).toBe(MAIL.html.trimEnd());
    expect(parsed.subject).toBe(MAIL.subject);
    expect(parsed.attachments).toEqual([]);
  });

  it('has short ASCII lines that end with CRLF', async () => {
    const { raw } = await rawOf({
      subject: 'Ünïcode −3.2',
      from: { name: 'Bärö', address: 'a@bärö.example' },
    });
    expect(raw).toMatch(/^[\t\r\n -~]*$/);
    expect(raw).not.toMatch(/[^\r]\n|\r[^\n]/);
    const [body = ''] = raw.split('\r\n\r\n').slice(1);
    expect(Math.max(...body.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76);
    expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  });

  it('accepts no header from a line break in a name or subject', async () => {
    const { headers, parsed } = await rawOf({
      from: { name: 'Baro"meter\\\r\nBcc: evil@example.com\u202e', address: 'signal@barometer.example' },
      subject: 'HOLD\r\nBcc: evil@example.com\r\n\r\n<script>',
    });
    expect(headers.filter((line) => /^(b?cc|x-)/i.test(line))).toEqual([]);
    expect(headers).toHaveLength(11);
    expect(parsed.from).toMatchObject({
      name: 'Baro"meter\\ Bcc: evil@example.com',
      address: 'signal@barometer.example',
    });
    expect(parsed.subject).toBe('HOLD Bcc: evil@example.com <script>');
    expect(parsed.to).toHaveLength(1);
  });
});

describe('the recipient of a mail', () => {
  it.each([
    ['jane+weekly@example.com', 'jane+weekly@example.com'],
    ["o'neil!#$%&*/=?^_`{|}~@example.com", "o'neil!#$%&*/=?^_`{|}~@example.com"],
    ['jane@bücher.example', 'jane@xn--bcher-kva.example'],
    ['jane@日本.example', 'jane@xn--wgv71a.example'],
    ['a..b@example.com', '"a..b"@example.com'],
    // Only mail servers with the extension SMTPUTF8 accept such an address.
    ['jörg@bücher.example', 'jörg@bücher.example'],
  ])('%s goes to %s', async (to, sentTo) => {
    const { envelope, parsed } = await rawOf({ to });
    expect(envelope).toEqual({ from: 'signal@barometer.example', to: [sentTo] });
    expect(parsed.to).toMatchObject([{ address: sentTo }]);
  });

  it.each(['a@example.com\r\nBcc: b@example.com', 'Jane <a@example.com>'])('must not be %j', (to) => {
    expect(() => composeMessage({ ...MESSAGE, to })).toThrow('This address cannot receive mail.');
  });

  it('is refused if it is not one address; the sender can be at localhost', async () => {
    const from = (address: string) => ({ from: { name: 'Barometer', address } });
    const { headers } = await rawOf(from('signal@localhost'));
    expect(headers).toContain('List-ID: <weekly-signal.localhost>');
    for (const address of ['a@b.example, c@d.example', 'a@b.example\r\nX: y', 'nobody', '<a@b.example>']) {
      expect(() => composeMessage({ ...MESSAGE, ...from(address) })).toThrow('must be one address');
    }
  });

  it('is refused without a valid Message-ID and link', () => {
    expect(() => composeMessage({ ...MESSAGE, messageId: '<a@b>\r\nX: y' })).toThrow('angle brackets');
    expect(() => composeMessage({ ...MESSAGE, unsubscribeUrl: '/unsubscribe/x' })).toThrow(
      'absolute http(s) URL',
    );
  });
});
