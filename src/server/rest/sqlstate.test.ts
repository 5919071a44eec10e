import { describe, expect, it } from 'vitest';
import { DatabaseError } from '#database/port.ts';
import { refusalOfDatabaseError, statusOfSqlstate } from './sqlstate.ts';

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
  ])('answers %s with %d, as PostgREST does', (code, status) => {
    expect(statusOfSqlstate(code)).toBe(status);
  });
});

it('a statement that took too long is to be asked again a while later, as all that a silent database leaves', () => {
  const message = 'canceling statement due to statement timeout';
  expect(refusalOfDatabaseError(new DatabaseError({ message, code: '57014' }))).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
  });
});

describe('refusalOfDatabaseError', () => {
  it('says when to come again to whom too many are counted of', () => {
    const message = 'Failed to subscribe. Please try again.';
    expect(refusalOfDatabaseError(new DatabaseError({ message, code: 'PT429' }))).toMatchObject({
      status: 429,
      message,
      headers: { 'Retry-After': '3600' },
    });
  });

  it('drops the details of a constraint, which quote the address', () => {
    const refusal = refusalOfDatabaseError(
      new DatabaseError({
        message: 'duplicate key value violates unique constraint "email_subscribers_active_address"',
        code: '23505',
        detail: 'Key (lower(btrim(email)))=(a@b.co) already exists.',
      }),
    );
    expect(JSON.stringify({ ...refusal })).not.toContain('a@b.co');
    expect(refusal.details).toBeNull();
  });
});
