import { expect, it } from 'vitest';
import { DatabaseError } from './port.ts';
import { unreachable as unreachableAt } from './postgres/failures.ts';
import { DatabaseUnavailable, isTransient } from './unavailable.ts';

const unreachable = (error: { code?: string; message?: string }) =>
  unreachableAt(error, 'postgres://db.example.org/market');

it.each([
  ['a refused connection', unreachable({ code: 'ECONNREFUSED' })],
  ['an unknown host name', unreachable({ code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND db' })],
  ['a missing socket file', unreachable({ code: 'ENOENT' })],
  ['no response', unreachable({ message: 'timeout expired' })],
  ['a broken connection', unreachable({ code: 'EPIPE' })],
  ['a starting Postgres', unreachable({ code: '57P03' })],
  ['too many connections', unreachable({ code: '53300' })],
  ['a pooler whose server is down', unreachable({ code: '08P01', message: 'server login has been failing' })],
  ['a terminated connection', new DatabaseError({ message: 'terminating connection', code: '57P01' })],
])('is transient: %s', (_, error) => {
  expect(isTransient(error)).toBe(true);
});

it.each([
  ['a wrong password', unreachable({ code: '28P01' })],
  ['a missing database', unreachable({ code: '3D000' })],
  ['a missing database behind a pooler', unreachable({ code: '08P01', message: 'no such database: other' })],
  [
    'a missing database behind another pooler',
    unreachable({ code: '08P01', message: 'database "other" does not exist' }),
  ],
  [
    'a setting that a pooler refuses',
    unreachable({ code: '08P01', message: 'unsupported startup parameter: options' }),
  ],
  ['a pooler that requires encryption', unreachable({ code: '08P01', message: 'SSL required' })],
  ['a self-signed certificate', unreachable({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ['no encryption', unreachable({ message: 'The server does not support SSL connections' })],
  ['a locked folder', new DatabaseUnavailable('locked', 'Another process has it open.')],
  ['a missing table', new DatabaseError({ message: 'no table', code: '42P01' })],
  ['any other error', new Error('timeout')],
])('is not transient: %s', (_, error) => {
  expect(isTransient(error)).toBe(false);
});
