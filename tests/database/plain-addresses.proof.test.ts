import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { type Parameter, queryOnce, type Row } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { isDeliverable } from '#mailer/safe-text.ts';
import { normaliseEmail } from '#queries/subscribe.ts';
import { PUNYCODE_SAMPLES } from '#tests/support/addresses.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';

const ENGINES = [
  {
    name: 'the embedded database',
    open: () => {
      const folder = join(folderForTests(), 'database');
      return shared(() => openEmbedded({ folder, migrationsFolder: MIGRATIONS }));
    },
  },
  {
    name: 'Postgres in the locale C',
    open: () => {
      const server = shared(startPostgres);
      return shared(async () => {
        await server.run("create database market template template0 encoding 'UTF8' locale 'C'");
        const url = server.url.replace(/postgres$/, 'market');
        return openPostgres({ url, migrationsFolder: MIGRATIONS });
      });
    },
  },
];

/** Letters newer than Unicode 14, which Postgres 15 cannot fold. */
const NEWER_LETTERS =
  /[\u1c89\ua7cb-\ua7dc\ua7f1\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}\u{1ccd6}-\u{1ccf9}\u{1e030}-\u{1e06d}]/u;

describe.each(ENGINES)('addresses in $name', ({ open }) => {
  const database = open();
  const run = <R extends Row>(sql: string, parameters: Parameter[] = []) =>
    queryOnce<R>(database, sql, parameters);

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

  it('become the same row through the page and through a direct insert [R11] [T16]', async () => {
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
