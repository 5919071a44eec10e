import { expect, it } from 'vitest';
import { REPORT_SAMPLES } from '#tests/support/mail-reports.ts';
import { classifyReport } from './classify-report.ts';
import { parseReport } from './parse-report.ts';
import { LONGEST_REPORT } from './process-report.ts';

const MAIL = {
  to: 'reader@example.com',
  returnPath: 'bounces+1z-00@example.org',
  unsubscribeUrl: 'https://example.org/unsubscribe/x',
};

const classified = async (raw: string | Uint8Array) => {
  const parts = await parseReport(typeof raw === 'string' ? Buffer.from(raw) : raw);
  return parts === null ? null : classifyReport(parts);
};

it.each(REPORT_SAMPLES)('reads "$name" as $kind', async ({ raw, kind, status }) => {
  const text = raw(MAIL);
  expect(await classified(text)).toEqual({ kind, status });
  expect(await classified(text.replaceAll('\n', '\r\n'))).toEqual({ kind, status });
});

it('classifies a report that is cut within its delivery status', async () => {
  const [sample] = REPORT_SAMPLES;
  const text = sample?.raw(MAIL) ?? '';
  expect(await classified(text.slice(0, text.indexOf('Remote-MTA')))).toEqual({
    kind: 'hard bounce',
    status: '5.1.1',
  });
});

it('reads a delivery status in base64', async () => {
  const encoded = Buffer.from('Final-Recipient: rfc822; a@example.com\nAction: failed\nStatus: 5.1.1\n');
  const raw = `From: x@example.com\nContent-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\nContent-Transfer-Encoding: base64\n\n${encoded.toString('base64')}\n--b--\n`;
  expect(await classified(raw)).toEqual({ kind: 'hard bounce', status: '5.1.1' });
});

it.each([
  ['nothing', ''],
  ['bytes that are no mail', new Uint8Array([0, 255, 254, 13, 10, 0])],
  [
    'a delivery status without a recipient',
    'Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n',
  ],
])('reads %s as unknown', async (_, raw) => {
  expect(await classified(raw)).toEqual({ kind: 'unknown', status: null });
});

it('refuses a report whose parts are nested deeper than in real mails', async () => {
  const open = (at: number) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`;
  expect(await classified(Array.from({ length: 50 }, (_, at) => open(at)).join(''))).toBeNull();
});

it.each([
  ['empty lines', '\n'],
  ['folded headers', 'a: b\n '],
  ['parts', '--b\n\n'],
  ['groups of a delivery status', 'Action: failed\n\n'],
  ['plus signs', '+'],
  ['dashes', '-'],
  ['words of a cause', 'user unknown '],
])('takes less than half a second of CPU for 256 KB of %s', async (_, text) => {
  const type = text.startsWith('Action') ? 'message/delivery-status' : 'multipart/mixed; boundary=b';
  const raw = Buffer.from(`From: mailer-daemon@example.com\nContent-Type: ${type}\n\n`);
  const whole = Buffer.concat([raw, Buffer.from(text.repeat(LONGEST_REPORT / text.length))]);
  const before = process.cpuUsage();
  await classified(whole);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(500);
});
