import { describe, expect, it } from 'vitest';
import { classifySmtpFailure, replyOf, type SmtpFailure } from './smtp.ts';

/**
 * Creates the error that nodemailer rejects with after a reply of the server. Its fields were recorded over a real
 * connection.
 */
const classify = (failure: SmtpFailure) => classifySmtpFailure(failure, 'smtp://me:hush@mail.example.org');

function replied(command: string, response: string, code = 'EENVELOPE'): SmtpFailure {
  const responseCode = Number(response.slice(0, 3));
  // 503 (bad sequence, RFC 5321) may succeed on another connection.
  const permanent = responseCode >= 500 && responseCode < 600 && responseCode !== 503;
  return { code, command, response, responseCode, permanent };
}

describe('a permanent failure', () => {
  it.each([
    ['RCPT TO', '550 5.1.1 Unknown', true],
    ['RCPT TO', '550 Unknown', true],
    ['RCPT TO', '553 Not in the list of allowed rcpthosts', true],
    ['RCPT TO', '550 5.2.1 Disabled', true],
    ['RCPT TO', '552 5.2.2 Full', false],
    ['RCPT TO', '552 Full', false],
    ['RCPT TO', '552 5.2.3 Too long', false],
    ['RCPT TO', '550 5.1.7 Sender address rejected', false],
    ['RCPT TO', '550 5.1.8 Sender address rejected', false],
    ['RCPT TO', '550 5.7.1 Relaying denied', false],
    ['DATA', '554 5.6.0 Spam', false],
    ['DATA', '554 No', false],
    ['DATA', '550 5.1.1 Unknown', true],
    ['DATA', '552 5.2.2 Full', false],
    ['DATA', '550 5.1.8 Sender address rejected', false],
    ['DATA', '552 5.3.4 Too large', false],
    ['MAIL FROM', '552 5.3.4 Too large', false],
  ])('at %s with %s is about the address: %s', (command, response, isAddress) => {
    expect(classify(replied(command, response))).toMatchObject({ result: 'refused', isAddress });
  });

  it('has no reply if it happened before any mail was sent', () => {
    expect(classify({ code: 'EENVELOPE', command: 'API' })).toEqual({
      result: 'refused',
      reply: null,
      isAddress: true,
    });
    expect(classify({ code: 'EMESSAGE', command: 'API' })).toMatchObject({
      result: 'refused',
      isAddress: false,
    });
  });
});

it.each<SmtpFailure>([
  replied('RCPT TO', '450 4.2.1 Later'),
  replied('RCPT TO', '452 4.2.2 Full'),
  replied('DATA', '451 4.3.0 Later', 'EMESSAGE'),
  replied('RCPT TO', '503 Bad sequence'),
  // A code that SMTP does not have.
  replied('RCPT TO', '999 5.1.1 Whatever'),
  { code: 'ETIMEDOUT', command: 'CONN', timeoutType: 'SOCKET_TIMEOUT' },
  { code: 'ECONNECTION', command: 'CONN' },
  { code: 'ECONNECTION' },
  { code: 'ESOCKET', command: 'CONN', syscall: 'read', originalCode: 'ECONNRESET' },
  { code: 'ESOCKET', command: 'CONN', syscall: 'write', originalCode: 'EPIPE' },
  { code: 'EABORT' },
  {},
])('a temporary failure %j', (failure) => {
  expect(classify(failure).result).toBe('later');
});

it.each([
  [replied('CONN', '421 4.3.2 Closing', 'EPROTOCOL'), 'closes its connections for now (421 4.3.2)'],
  [replied('RCPT TO', '421 4.7.0 Too many'), 'closes its connections for now (421 4.7.0)'],
  [replied('DATA', '421 Bye', 'EMESSAGE'), 'closes its connections for now (421)'],
  [replied('CONN', '554 5.7.1 Not you', 'EPROTOCOL'), 'refused the connection (554 5.7.1)'],
  [replied('EHLO', '550 No', 'EPROTOCOL'), 'refused the connection (550)'],
  [
    replied('AUTH PLAIN', '535 5.7.8 operator:s3cr3t', 'EAUTH'),
    'refused the login: check the user and the password in SMTP_URL (535 5.7.8)',
  ],
  [replied('AUTH PLAIN', '454 4.7.0 Busy', 'EAUTH'), 'cannot check the login at the moment (454 4.7.0)'],
  [
    replied('RCPT TO', '530 5.7.0 Authentication required'),
    'refused the login: check the user and the password in SMTP_URL (530 5.7.0)',
  ],
  [replied('MAIL FROM', '553 5.7.1 Not yours'), 'refused the sender: check MAIL_FROM (553 5.7.1)'],
  [replied('MAIL FROM', '451 4.7.1 Slow down'), 'takes no mails from this sender at the moment (451 4.7.1)'],
  [{ code: 'EDNS', command: 'CONN' }, 'is unknown: check its name in SMTP_URL'],
  [
    { code: 'ESOCKET', command: 'CONN', syscall: 'connect', originalCode: 'ECONNREFUSED' },
    'cannot be reached at mail.example.org:587 (ECONNREFUSED). Check SMTP_URL and the firewall',
  ],
  [
    { code: 'ESOCKET', command: 'CONN', originalCode: 'ECONNREFUSED' },
    'cannot be reached at mail.example.org:587 (ECONNREFUSED). Check SMTP_URL and the firewall',
  ],
  [
    { code: 'ETIMEDOUT', command: 'CONN', timeoutType: 'CONNECT_TIMEOUT' },
    'cannot be reached at mail.example.org:587 (CONNECT_TIMEOUT). Check SMTP_URL and the firewall',
  ],
  [
    { code: 'ETIMEDOUT', command: 'CONN', timeoutType: 'GREETING_TIMEOUT' },
    'cannot be reached at mail.example.org:587 (GREETING_TIMEOUT). Check SMTP_URL and the firewall',
  ],
  [
    { code: 'ESOCKET', command: 'CONN', originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'cannot be reached over an encrypted connection',
  ],
  [{ code: 'ETLS', command: 'STARTTLS' }, 'cannot be reached over an encrypted connection'],
  [replied('STARTTLS', '502 5.5.1 No', 'ETLS'), 'cannot be reached over an encrypted connection (502 5.5.1)'],
] as const)('a failure of the server %j', (failure, words) => {
  expect(classify(failure)).toMatchObject({
    result: 'unavailable',
    reason: `The mail server ${words}.`,
  });
});

it.each([
  ['550 5.1.1 <reader@example.com>: unknown', '550 5.1.1'],
  ['550-5.1.1 of several lines\n550 5.1.1 unknown', '550 5.1.1'],
  ['550 unknown', '550'],
  ['550 5.1.1x unknown', '550'],
  ['550 10.0.0.1 is blocked', '550'],
  ['550', '550'],
])('the stored codes of a reply %s', (response, status) => {
  expect(replyOf(replied('RCPT TO', response))).toBe(status);
});
