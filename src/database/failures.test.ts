import { expect, it } from 'vitest';
import {
  DatabaseUnavailable,
  fromPostgres,
  isTransient,
  unavailableError,
  unreachable as unreachableAt,
} from './failures.ts';
import { DatabaseError } from './port.ts';

const unreachable = (error: { code?: string; message?: string }) =>
  unreachableAt(error, 'db.example.org/market');

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
  ['a locked folder', new DatabaseUnavailable('unusable', 'Another process has it open.')],
  ['a missing table', new DatabaseError({ message: 'no table', code: '42P01' })],
  ['any other error', new Error('timeout')],
])('is not transient: %s', (_, error) => {
  expect(isTransient(error)).toBe(false);
});

it.each([
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
])('maps the message of the driver about a lost connection: %s', (message) => {
  expect(fromPostgres(new Error(message))).toMatchObject({ reason: 'lost' });
});

it('returns an error of another program unchanged', () => {
  const other = new Error('Another error.');
  expect(fromPostgres(other)).toBe(other);
});

it.each([
  [{ code: 'ENOSPC', message: 'write' }, 'is full'],
  [{ message: 'could not write to file "pg_wal/xlogtemp.42": No space left on device' }, 'is full'],
  [{ code: 'EACCES', message: 'mkdir' }, 'cannot be written'],
  [{ code: 'EROFS', message: 'mkdir' }, 'cannot be written'],
  [{ message: 'could not create lock file "postmaster.pid": Read-only file system' }, 'cannot be written'],
  [{ code: 'ENOTDIR', message: 'mkdir' }, 'is not a database folder'],
  [
    { code: 1, message: 'Command failed: x\nFATAL:  could not locate a valid checkpoint record\n' },
    'cannot be opened (could not locate a valid checkpoint record)',
  ],
])('describes the failure of a folder: %j', (failure, words) => {
  expect(unavailableError(failure, '/data')?.message).toContain(`/data ${words}`);
});
