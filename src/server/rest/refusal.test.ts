import { describe, expect, it } from 'vitest';
import { DatabaseError } from '#database/port.ts';
import { refusalOf, statusOfSqlstate } from './refusal.ts';

describe('statusOfSqlstate', () => {
  it.each([
    ['23505', 409],
    ['23514', 400],
    ['22P02', 400],
    ['42501', 401],
    ['42P01', 404],
    ['42703', 400],
    ['25006', 405],
    ['57P01', 503],
    ['53300', 503],
    ['08006', 503],
    ['XX000', 500],
    ['PT429', 429],
    ['PT4xx', 500],
    ['22023', 400],
  ])('%s is %d, as in PostgREST', (code, status) => {
    expect(statusOfSqlstate(code)).toBe(status);
  });
});

it.each([
  ['a statement that timed out', '57014'],
  ['a lock that timed out', '55P03'],
  ['a Postgres that starts', '57P03'],
])('has status 503 with Retry-After for %s', (_, code) => {
  expect(refusalOf(new DatabaseError({ message: 'canceling statement', code }))).toMatchObject({
    status: 503,
    response: { headers: { 'Retry-After': '5' } },
  });
});

describe('the refusal for a database error', () => {
  it('has Retry-After for too many inserts of one client', () => {
    const message = 'Failed to subscribe. Please try again.';
    expect(refusalOf(new DatabaseError({ message, code: 'PT429' }))).toMatchObject({
      status: 429,
      message,
      response: { headers: { 'Retry-After': '3600' } },
    });
  });

  it('has no details of a constraint, which quote the address', () => {
    const refusal = refusalOf(
      new DatabaseError({
        message: 'duplicate key value violates unique constraint "email_subscribers_active_address"',
        code: '23505',
        detail: 'Key (lower(btrim(email)))=(a@b.co) already exists.',
      }),
    );
    expect(JSON.stringify(refusal)).not.toContain('a@b.co');
    expect(JSON.parse(refusal.response.body)).toMatchObject({ code: '23505', details: null });
  });
});
