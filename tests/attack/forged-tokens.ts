import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { askTables, rowsOf, type Target } from './target.ts';

type Json = Readonly<Record<string, unknown>>;
type Header = readonly [name: string, value: string];

const part = (value: Json) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Secrets of documentation and examples, and default values of implementations. */
const KNOWN_SECRETS = [
  '',
  'secret',
  'password',
  'your-256-bit-secret',
  'super-secret-jwt-token-with-at-least-32-characters-long',
  'reallyreallyreallyreallyverysafe',
  'null',
  'undefined',
];

const ROLES = ['service_role', 'postgres', 'supabase_admin', 'authenticated', 'anon', 'authenticator'];
const ISSUED = { iss: 'supabase', iat: 1_600_000_000, exp: 4_000_000_000 };

function signed(header: Json, payload: Json, secret: string | Buffer): string {
  const content = `${part(header)}.${part(payload)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

/** Tokens that anybody can make. */
function forged(anonKey: string): string[] {
  const HS256 = { alg: 'HS256', typ: 'JWT' };
  const roles = ROLES.map((role) => ({ ...ISSUED, role }));
  const [service = {}] = roles;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  const ofOwnKey = (header: Json) => {
    const content = `${part({ alg: 'RS256', typ: 'JWT', ...header })}.${part(service)}`;
    return `${content}.${createSign('sha256').update(content).sign(privateKey, 'base64url')}`;
  };
  const unsigned = ['none', 'None', 'NONE', 'nOnE', '', 'null'].flatMap((alg) =>
    roles.flatMap((payload) =>
      ['', 'AA'].map((end) => `${part({ alg, typ: 'JWT' })}.${part(payload)}.${end}`),
    ),
  );
  const known = [...KNOWN_SECRETS, anonKey].flatMap((secret) =>
    roles.map((payload) => signed(HS256, payload, secret)),
  );
  const kids = [
    '../../../../../../dev/null',
    '/proc/sys/kernel/randomize_va_space',
    "x' union select 'secret'; --",
    'http://127.0.0.1:1/keys',
    '\u0000',
    '__proto__',
  ].flatMap((kid) => ['', '2\n', 'secret'].map((secret) => signed({ ...HS256, kid }, service, secret)));
  return [
    ...unsigned,
    ...known,
    ...kids,
    ofOwnKey({}),
    ofOwnKey({ jwk }),
    ofOwnKey({ jku: 'http://127.0.0.1:1/jwks.json' }),
    ofOwnKey({ x5u: 'http://127.0.0.1:1/cert.pem' }),
    signed(HS256, service, String(pem)),
    signed(HS256, { ...service, exp: 1 }, 'secret'),
    signed(HS256, { ...service, role: ['service_role'] }, 'secret'),
    signed({ ...HS256, crit: ['exp'] }, service, ''),
    signed({ alg: ['HS256', 'none'] }, service, ''),
  ];
}

const MALFORMED = [
  'a',
  '.',
  '..',
  '...',
  'a.b',
  'a.b.c',
  'a.b.c.d',
  'eyJhbGciOiJub25lIn0',
  'eyJhbGciOiJub25lIn0.',
  '{}.{}.{}',
  `${'a'.repeat(8_000)}.${'b'.repeat(2_000)}.c`,
  '.'.repeat(4_000),
  'null',
  'undefined',
  'sb_secret_0000000000000000000000000000000',
  'sb_publishable_',
  '%00',
];

const bearing = (token: string): Header => ['Authorization', `Bearer ${token}`];

/** Checks that forged tokens give no access. */
export function forgedTokens(target: () => Target): void {
  describe('forged tokens', () => {
    const read = async (headers: readonly Header[], key?: string | null) => {
      const asked = { headers, ...(key !== undefined && { key }) };
      const [secret, open] = await Promise.all([
        askTables(target(), '/email_subscribers?select=email', asked),
        askTables(target(), '/market_metrics?limit=1', asked),
      ]);
      return { headers, secret: secret.status, open: open.status };
    };

    it('no forged token gives access as a bearer token beside the public key [T2]', async () => {
      const tokens = [...forged(target().anonKey), ...MALFORMED];
      const given = await onEach(tokens, (token) => read([bearing(token)]));
      expect(given.filter(({ secret }) => secret < 400 || secret >= 500)).toEqual([]);
      // Our server refuses any wrong key, even if the public key is sent as well.
      if (target().isOurs) expect(given.filter(({ open }) => open !== 401)).toEqual([]);
    });

    it('no forged token replaces the public key', async () => {
      const tokens = [...forged(target().anonKey), ...MALFORMED];
      const given = await onEach(tokens, (token) => read([], token));
      expect(given.filter(({ secret, open }) => ![secret, open].every((status) => status === 401))).toEqual(
        [],
      );
      const inAddress = await onEach(tokens.slice(0, 20), async (token) => {
        const path = `/market_metrics?limit=1&apikey=${encodeURIComponent(token)}`;
        return (await askTables(target(), path, { key: null })).status;
      });
      expect(inAddress.filter((status) => status !== 401)).toEqual([]);
    });

    it('the public key gives the same access in any notation of its header', async () => {
      const { anonKey } = target();
      const written: Header[][] = [
        [['Authorization', `bearer ${anonKey}`]],
        [['Authorization', `Bearer ${anonKey}, Bearer x`]],
        [['Authorization', `Basic ${Buffer.from(`postgres:${anonKey}`).toString('base64')}`]],
        [['Authorization', 'Negotiate YII=']],
        [['Authorization', '']],
        [bearing(anonKey), bearing('x.y.z')],
        [
          ['apikey', anonKey],
          ['apikey', 'x'],
        ],
        [
          ['Api-Key', 'x'],
          ['X-Api-Key', 'service_role'],
        ],
      ];
      const given = await onEach(written, (headers) => read(headers));
      expect(given.filter(({ secret }) => secret < 400 || secret >= 500)).toEqual([]);
      const none = await read([], null);
      expect([none.secret, none.open]).toEqual([401, 401]);
      expect(rowsOf(await askTables(target(), '/market_metrics?limit=1'))).toHaveLength(1);
    });
  });
}
