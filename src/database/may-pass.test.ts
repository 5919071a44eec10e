import { expect, it } from 'vitest';
import { mayPass } from './may-pass.ts';
import { DatabaseError } from './port.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const unreachable = (cause: { code?: string; message?: string }) =>
  new DatabaseUnavailable('unreachable', 'Postgres cannot be reached.', { cause });

it.each([
  ['nobody listens', unreachable({ code: 'ECONNREFUSED' })],
  ['a name that is not known yet', unreachable({ code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND db' })],
  ['a socket file that is not there yet', unreachable({ code: 'ENOENT' })],
  ['no answer', unreachable({ message: 'timeout expired' })],
  ['a broken connection', unreachable({ code: 'EPIPE' })],
  ['a Postgres that starts', unreachable({ code: '57P03' })],
  ['one that has no room', unreachable({ code: '53300' })],
  ['a pooler whose server is away', unreachable({ code: '08P01', message: 'server login has been failing' })],
  ['one that stops at work', new DatabaseError({ message: 'terminating connection', code: '57P01' })],
])('passes: %s', (_, error) => {
  expect(mayPass(error)).toBe(true);
});

it.each([
  ['a wrong password', unreachable({ code: '28P01' })],
  ['no such database', unreachable({ code: '3D000' })],
  ['no such database behind a pooler', unreachable({ code: '08P01', message: 'no such database: other' })],
  ['none behind one', unreachable({ code: '08P01', message: 'database "other" does not exist' })],
  [
    'a setting that one refuses',
    unreachable({ code: '08P01', message: 'unsupported startup parameter: options' }),
  ],
  ['one that wants encryption', unreachable({ code: '08P01', message: 'SSL required' })],
  ['a certificate of nobody', unreachable({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ['no encryption', unreachable({ message: 'The server does not support SSL connections' })],
  ['a folder in use', new DatabaseUnavailable('locked', 'Another process has it open.')],
  ['a table that is not there', new DatabaseError({ message: 'no table', code: '42P01' })],
  ['a fault of ours', new Error('timeout')],
])('does not: %s', (_, error) => {
  expect(mayPass(error)).toBe(false);
});
