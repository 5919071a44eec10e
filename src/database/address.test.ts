import { describe, expect, it } from 'vitest';
import { addressFault } from './address.ts';

describe('addressFault', () => {
  it.each([
    'postgres://reader:secret@db.example.org:6543/postgres',
    'postgresql://reader.project:s%40%2F%23%3Fcret@db.example.org/postgres?sslmode=verify-full&sslrootcert=/etc/ca.crt',
    'postgres://reader:se@cret@db.example.org/postgres',
    'postgres://reader:100%@db.example.org/postgres',
    'postgres://reader@[2001:db8::1]:5432/market',
    'postgres:///market?host=/var/run/postgresql&user=me@example.org'.replace('@', '%40'),
    'postgres://reader@%2Fvar%2Frun%2Fpostgresql/market',
    'postgres://db.example.org/market?sslmode=require&pgbouncer=true',
    'postgres://db.example.org/market?sslmode=verify-full&sslrootcert=system',
  ])('accepts %s', (text) => {
    expect(addressFault(text)).toBeNull();
  });

  it.each([
    'postgres://reader:sec#ret@db.example.org/market',
    'postgres://reader:sec/ret@db.example.org/market',
    'postgres://reader:sec?ret@db.example.org/market',
    'postgres://reader:12#34@db.example.org/market',
    'postgres://reader:12/34@db.example.org/market',
    'postgres://reader:12?34@db.example.org/market',
    'postgres://reader:sec ret@[db]/market',
  ])('explains how to escape %s, without quoting the address', (text) => {
    const fault = addressFault(text);
    expect(fault).toMatch(/^is invalid; in user and password write special characters as %40 for @/);
    expect(fault).not.toMatch(/reader|sec|34/);
  });

  it.each([
    'postgres://reader:secret@one.example.org:5432,two.example.org:5432/market',
    'postgres://reader:secret@one.example.org,two.example.org/market',
    'postgres:///market?host=one.example.org,two.example.org',
  ])('refuses the several hosts of %s', (text) => {
    expect(addressFault(text)).toMatch(/^names several hosts; name one/);
  });

  it('refuses an sslmode without a guarantee, and verify-ca without a file', () => {
    const withMode = (words: string) => addressFault(`postgres://db.example.org/market?sslmode=${words}`);
    for (const mode of ['prefer', 'allow', '', 'REQUIRE']) {
      expect(withMode(mode)).toMatch(/^has an sslmode that is none of disable, no-verify, require,/);
    }
    for (const authority of ['', '&sslrootcert=system']) {
      expect(withMode(`verify-ca${authority}`)).toMatch(
        /^has sslmode=verify-ca, which needs a file in sslrootcert/,
      );
    }
    expect(withMode('verify-ca&sslrootcert=/etc/ca.crt')).toBeNull();
  });
});
