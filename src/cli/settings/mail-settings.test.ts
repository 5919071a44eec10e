import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../command.ts';
import { readEnvironment } from './environment.ts';

const PUBLIC = { PUBLIC_URL: 'https://example.org' };
const mailOf = (values: Record<string, string>) => readEnvironment(values).mail;
const reading = (values: Record<string, string>) => () => mailOf({ ...PUBLIC, ...values });
const senderOf = (from: string) => mailOf({ MAIL_FROM: from }).from;

it('sends on Saturday at nine into the outbox by default', () => {
  expect(mailOf({ BAROMETER_DATA_DIR: 'data' })).toEqual({
    productName: 'Barometer',
    publicUrl: 'http://127.0.0.1:4321',
    smtpUrl: null,
    from: { name: 'Barometer', address: 'signal@localhost' },
    bounceAddress: null,
    postalAddress: null,
    perSecond: 10,
    outboxFolder: resolve('data/outbox'),
    asksToConfirm: false,
    signalTime: { weekday: 6, minutes: 540 },
  });
  expect(mailOf({ HOST: '::1' }).publicUrl).toBe('http://[::1]:4321');
});

it('sends by SMTP if SMTP_URL, MAIL_FROM and PUBLIC_URL are set', () => {
  const smtp = 'smtps://me:p%40ss@mail.example.org:465';
  const whole = { SMTP_URL: smtp, MAIL_FROM: 'a@example.org' };
  expect(mailOf({ ...PUBLIC, ...whole })).toMatchObject({ smtpUrl: smtp, publicUrl: 'https://example.org' });
  expect(() => mailOf(whole)).toThrow(/^SMTP_URL is set without PUBLIC_URL/);
  expect(reading({ SMTP_URL: smtp })).toThrow(/^SMTP_URL is set without MAIL_FROM/);
});

it('reads a sender with or without a name', () => {
  expect(senderOf('Barometer <signal@example.org>')).toEqual({
    name: 'Barometer',
    address: 'signal@example.org',
  });
  expect(senderOf('signal@example.org')).toEqual({ name: 'Barometer', address: 'signal@example.org' });
  expect(senderOf('<signal@localhost>')).toEqual({ name: 'Barometer', address: 'signal@localhost' });
  expect(senderOf('"Kompass, Inc." <signal@münchen.example>')).toEqual({
    name: 'Kompass, Inc.',
    address: 'signal@münchen.example',
  });
  expect(senderOf("Jane's Wöchentliches <a+b@example.org>").name).toBe("Jane's Wöchentliches");
});

it.each([
  ['a line break', 'A\nBcc: x@example.org <a@example.org>'],
  ['a carriage return', 'A <a@example.org>\rBcc: x@example.org'],
  ['a list', 'a@example.org, b@example.org'],
  ['a list with names', 'A <a@example.org>, B <b@example.org>'],
  ['a name that is an address of a list', 'x@example.org, A <a@example.org>'],
  ['a group', 'A: a@example.org;'],
  ['two at signs', 'a@b@example.org'],
  ['no domain', 'a@'],
  ['no dot', 'a@example'],
  ['an empty label', 'a@example..org'],
  ['a space', 'a b@example.org'],
  ['a letter that is not ASCII', 'ä@example.org'],
  ['a bracket', 'A <a@example.org'],
  ['a quote', '"A <a@example.org>'],
  ['too many characters', `${'a'.repeat(250)}@example.org`],
])('refuses a sender with %s', (_, from) => {
  expect(reading({ MAIL_FROM: from })).toThrow(/^MAIL_FROM must be one sender in one line/);
});

it('quotes no part of a wrong SMTP_URL', () => {
  for (const url of [
    'https://me:hush@mail.example.org',
    'smtp://me:hush@',
    'smtp://me:hush@mail.example.org/hush',
    'smtp://me:hush@mail.example.org?logger=true',
    'smtp://me:hush@mail.example.org#hush',
    'smtp://me:hush%@mail.example.org',
    'smtp://hush@mail.example.org',
    'smtp://me:hush@mail.example.org:99999',
    'hush',
  ]) {
    expect(reading({ SMTP_URL: url, MAIL_FROM: 'a@example.org' }), url).toThrow(UsageError);
    expect(reading({ SMTP_URL: url, MAIL_FROM: 'a@example.org' }), url).toThrow(
      /^SMTP_URL is not an address/,
    );
    expect(reading({ SMTP_URL: url, MAIL_FROM: 'a@example.org' }), url).not.toThrow(/hush|mail\.example/);
  }
});

it.each([
  ['MAIL_PER_SECOND', '0', /^MAIL_PER_SECOND is "0"; it must be a whole number from 1 to 1000\.$/],
  ['MAIL_PER_SECOND', '2.5', /^MAIL_PER_SECOND is "2\.5"/],
  ['MAIL_PER_SECOND', '1e3', /^MAIL_PER_SECOND is "1e3"/],
  ['MAIL_POSTAL_ADDRESS', 'One\nTwo', /^MAIL_POSTAL_ADDRESS must be one line of 200/],
  ['MAIL_POSTAL_ADDRESS', 'x'.repeat(201), /^MAIL_POSTAL_ADDRESS must be one line of 200/],
  [
    'SIGNAL_AT',
    'Saturday',
    /^SIGNAL_AT is "Saturday"; it must be a day and a time in New York as "Sat 09:00"/,
  ],
  ['SIGNAL_AT', 'Wed 12:00', /^SIGNAL_AT is "Wed 12:00"; .* not from 9:30 to 16:15 of Monday to Friday/],
  ['SUBSCRIBE_CONFIRM', 'yes', /^SUBSCRIBE_CONFIRM is "yes"; it must be true or false\.$/],
])('names the setting %s if its value is wrong', (name, value, message) => {
  expect(reading({ [name]: value })).toThrow(UsageError);
  expect(reading({ [name]: value })).toThrow(message);
});

it('treats an empty mail setting as absent', () => {
  const empty = {
    SMTP_URL: '',
    MAIL_FROM: ' ',
    SIGNAL_AT: '',
    SUBSCRIBE_CONFIRM: '',
    MAIL_POSTAL_ADDRESS: '',
  };
  expect(mailOf(empty)).toEqual(mailOf({}));
  expect(
    mailOf({
      SIGNAL_AT: 'Fri 17:30',
      SUBSCRIBE_CONFIRM: 'true',
      MAIL_PER_SECOND: '50',
      MAIL_POSTAL_ADDRESS: '1 Main St',
    }),
  ).toMatchObject({
    signalTime: { weekday: 5, minutes: 1050 },
    asksToConfirm: true,
    perSecond: 50,
    postalAddress: '1 Main St',
  });
});

describe('bounces', () => {
  const ADDRESS = { MAIL_BOUNCE_ADDRESS: 'Bounces@Example.org' };
  const TOKEN = { MAIL_BOUNCE_TOKEN: '0123456789abcdef' };

  it('arrive at an address, by an endpoint or in a folder', () => {
    const { mail, mailReports } = readEnvironment({ ...ADDRESS, ...TOKEN, MAIL_BOUNCE_DIR: '/var/mail/new' });
    expect(mail.bounceAddress).toBe('bounces@example.org');
    expect(mailReports).toEqual({ token: '0123456789abcdef', folder: '/var/mail/new' });
  });

  it('are accepted only if MAIL_BOUNCE_ADDRESS is set', () => {
    expect(() => readEnvironment(TOKEN)).toThrow(/^MAIL_BOUNCE_TOKEN is set without MAIL_BOUNCE_ADDRESS/);
    expect(() => readEnvironment({ MAIL_BOUNCE_DIR: 'new' })).toThrow(/^MAIL_BOUNCE_DIR is set without/);
  });

  it('need an address with space for a token, and a bearer token of 16 characters', () => {
    for (const address of ['bounces', 'a b@example.org', `${'b'.repeat(26)}@example.org`]) {
      const read = () => readEnvironment({ MAIL_BOUNCE_ADDRESS: address });
      expect(read, address).toThrow(/^MAIL_BOUNCE_ADDRESS must be an address with at most 25 characters/);
    }
    const read = () => readEnvironment({ ...ADDRESS, MAIL_BOUNCE_TOKEN: 'short' });
    expect(read).toThrow(/^MAIL_BOUNCE_TOKEN must have 16 to 512 printable characters/);
    expect(read).not.toThrow(/short/);
  });
});
