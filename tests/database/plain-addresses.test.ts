import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import { migrate } from '#database/migrate.ts';
import type { Database, Parameter } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { isDeliverable } from '#mailer/mail-address.ts';
import { unsubscribe } from '#mailer/subscribers/subscription.ts';
import { normaliseEmail } from '#queries/subscribe.ts';
import { PUNYCODE_SAMPLES } from '#tests/support/addresses.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';

interface Opened {
  readonly database: Database;
  stop(): Promise<void>;
}

const ENGINES = [
  {
    name: 'the embedded database',
    isThere: () => true,
    open: async (folder: string, migrationsFolder: string): Promise<Opened> => {
      const database = await openEmbedded({
        folder: join(folder, 'database'),
        migrationsFolder,
      });
      return { database, stop: () => database.close() };
    },
  },
  {
    name: 'Postgres in the locale C',
    isThere: hasPostgres,
    open: async (_: string, migrationsFolder: string): Promise<Opened> => {
      const server = await startPostgres();
      await server.run("create database market template template0 encoding 'UTF8' locale 'C'");
      const url = server.url.replace(/postgres$/, 'market');
      const database = await openPostgres({ url, migrationsFolder });
      const stop = async () => {
        await database.close();
        await server.stop();
      };
      return { database, stop };
    },
  },
];

/** Letters newer than Unicode 14, which Postgres 15 cannot fold. */
const NEWER_LETTERS =
  /[\u1c89\ua7cb-\ua7dc\ua7f1\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}\u{1ccd6}-\u{1ccf9}\u{1e030}-\u{1e06d}]/u;

const ACTIVE = { is_active: true, because: null };
const DUPLICATE = { is_active: false, because: 'duplicate' };
const REFUSED = { is_active: false, because: 'address refused' };

/** Rows before the migration (address, active, day, confirmed), and the same rows after it. */
const ROWS = [
  ['jane@ｅｘａｍｐｌｅ.org', true, 3, true, { email: 'jane@example.org', ...DUPLICATE }],
  ['jane@example.org', true, 1, true, { email: 'jane@example.org', ...ACTIVE }],
  ['jane@ⓔxample.org', true, 2, true, { email: 'jane@example.org', ...DUPLICATE }],
  ['ｊａｎｅ@example.org', true, 4, true, { email: 'jane@example.org', ...DUPLICATE }],
  ['jane@𝐞xample.org', false, 0, true, { email: 'jane@example.org', is_active: false, because: null }],
  ['ann@bücher.example', true, 1, false, { email: 'ann@xn--bcher-kva.example', ...DUPLICATE }],
  ['ann@xn--bcher-kva.example', true, 2, true, { email: 'ann@xn--bcher-kva.example', ...ACTIVE }],
  ['x@e..org', true, 1, true, { email: 'x@e..org', ...REFUSED }],
  ['x@1.2', false, 1, true, { email: 'x@1.2', is_active: false, because: null }],
  ['alone@ｅxample.net', true, 1, true, { email: 'alone@example.net', ...ACTIVE }],
] as const;

describe.each(ENGINES)('addresses in $name', ({ isThere, open }) => {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-addresses-'));
  const before = join(folder, 'migrations');
  let opened: Opened | undefined;

  beforeAll(async () => {
    if (!isThere()) return;
    for (const file of readdirSync(MIGRATIONS).filter((name) => name < '20261122130000')) {
      cpSync(join(MIGRATIONS, file), join(before, file));
    }
    opened = await open(folder, before);
    for (const [email, isActive, day, isConfirmed] of ROWS) {
      await run(
        `insert into public.email_subscribers (email, is_active, created_at, confirmed_at)
         values ($1, $2, '2026-11-01'::date + $3::int, case when $4 then now() end)`,
        [email, isActive, day, isConfirmed],
      );
    }
    await run(
      `with issue as (
         insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
         values ('2026-11-16', 'withheld', 'For a test.', now(), '1', '{}', '{}') returning id
       )
       insert into mailer.deliveries (issue_id, subscriber_id, due_at, give_up_at)
       select issue.id, s.id, now(), now() from issue, public.email_subscribers s where s.is_active`,
    );
    await migrate(opened.database, MIGRATIONS);
  });
  afterAll(async () => {
    await opened?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach((context) => {
    if (!isThere()) context.skip('Postgres is not installed on this machine');
  });

  async function run<R extends Record<string, unknown>>(sql: string, parameters: Parameter[] = []) {
    if (opened === undefined) throw new Error('There is no database.');
    return opened.database.transaction((transaction) => transaction.query<R>(sql, parameters));
  }

  it('keep the oldest confirmed row of a mailbox active after the migration [R11]', async () => {
    const rows = await run(
      'select email, is_active, deactivated_because as because from public.email_subscribers order by id',
    );
    expect(rows).toEqual(ROWS.map(([, , , , after]) => after));
    const ended = await run(
      'select count(*) as count from public.email_subscribers where deactivated_because is not null and deactivated_at is null',
    );
    expect(ended).toEqual([{ count: 0 }]);
  });

  it('lose the pending deliveries of a duplicate in the migration', async () => {
    const deliveries = await run(
      `select d.status, s.is_active from mailer.deliveries d
       join public.email_subscribers s on s.id = d.subscriber_id where s.email = 'jane@example.org' order by s.id`,
    );
    const skipped = { status: 'skipped', is_active: false };
    const pending = { status: 'pending', is_active: true };
    expect(deliveries).toEqual([skipped, pending, skipped, skipped]);
  });

  it('let the link of a duplicate end the subscription of its mailbox', async () => {
    if (opened === undefined) return;
    const [duplicate] = await run<{ reference: string }>(
      "select reference from public.email_subscribers where deactivated_because = 'duplicate' and email like 'ann@%'",
    );
    expect(await unsubscribe(opened.database, duplicate?.reference ?? '')).toBe('left');
    const active = await run(
      "select id from public.email_subscribers where is_active and email like 'ann@%'",
    );
    expect(active).toEqual([]);
  });

  it.each(PUNYCODE_SAMPLES)('encode %s as %s in Punycode (RFC 3492)', async (label, punycode) => {
    expect(await run('select mailer.punycode($1) as encoded', [label])).toEqual([{ encoded: punycode }]);
  });

  /** Code points of all characters that normalisation changes. */
  const CHANGED = Array.from({ length: 0x110000 - 0x80 }, (_, at) => at + 0x80).filter((code) => {
    const letter = String.fromCodePoint(code);
    if (/[\p{Cs}\p{Co}\p{Cn}]/u.test(letter) || NEWER_LETTERS.test(letter)) return false;
    return letter.normalize('NFKC') !== letter || letter.toLowerCase() !== letter || /\p{DI}/u.test(letter);
  });

  it('have the domain that IDNA maps to, or are not deliverable', async () => {
    const rows = await run<{ code: number; plain: string | null }>(
      `select code, mailer.plain_address('a@x' || chr(code) || 'x.example') as plain
       from jsonb_array_elements_text($1::jsonb) as codes (text), lateral (select text::int as code) as one`,
      [JSON.stringify(CHANGED)],
    );
    const formsOf = (letter: string) =>
      [letter, letter.normalize('NFKC').toLowerCase()].map(
        (form) => `a@${domainToASCII(`x${form}x.example`)}`,
      );
    const mapped = rows.filter(({ plain }) => plain !== null && isDeliverable(plain));
    const wrong = mapped.filter(
      ({ code, plain }) => !formsOf(String.fromCodePoint(code)).includes(plain ?? ''),
    );
    expect(rows).toHaveLength(CHANGED.length);
    expect(mapped.length).toBeGreaterThan(4_000);
    expect(wrong).toEqual([]);
  });

  it('become the same row through the page and through a direct insert [T16]', async () => {
    const typed = CHANGED.flatMap((code) => {
      const letter = String.fromCodePoint(code);
      return [`a${letter}b@example.org`, `a@x${letter}x.example`];
    });
    const pairs = typed.flatMap((text) => {
      const sent = normaliseEmail(text);
      return sent === null ? [] : [[text, sent]];
    });
    const rows = await run<{ typed: string; direct: string | null; by_page: string | null }>(
      `select pair ->> 0 as typed, mailer.plain_address(pair ->> 0) as direct, mailer.plain_address(pair ->> 1) as by_page
       from jsonb_array_elements($1::jsonb) as pairs (pair)`,
      [JSON.stringify(pairs)],
    );
    const both = rows.filter(
      ({ direct, by_page }) => isDeliverable(direct ?? '') && isDeliverable(by_page ?? ''),
    );
    expect(both.length).toBeGreaterThan(8_000);
    expect(both.filter(({ direct, by_page }) => direct !== by_page)).toEqual([]);
  });
});
