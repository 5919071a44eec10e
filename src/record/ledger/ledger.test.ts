import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { Database } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { embeddedForTest } from '#tests/support/embedded.ts';
import { appendEntries } from './append-entries.ts';
import { createLedgerKey, signCheckpoint } from './checkpoint.ts';
import { siteOf, withRetries } from './download.ts';
import { leafHash, treeHash } from './merkle-tree.ts';
import { createServedLedger, readCheckpoint } from './served-ledger.ts';
import { bundleOfEntries, entriesOfBundle, tileOfHashes, tilePath, tilesOf } from './tiles.ts';
import { type VerifiedLedger, verifyLedger } from './verify-ledger.ts';

const URL_OF_SITE = 'https://market.example';
const FIRST_MONDAY = Date.parse('2026-01-05T00:00:00Z');
const WEEK = 7 * 86_400_000;
/** After every time in these ledgers. */
const NOW = Date.parse('2036-01-01T00:00:00Z');

const weekOf = (index: number) => new Date(FIRST_MONDAY + index * WEEK).toISOString().slice(0, 10);

const decision = (week: string, created = 'now') =>
  `insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs, created_at)
   values ('${week}', 'withheld', 'The rows are “stale”.', '${week}T14:00:00.123456Z', '1', '{"b": 0.1, "a": 1e21}', '{}', '${created}')`;
const grade = (week: string) =>
  `insert into mailer.grades (week, horizon_weeks, rule, status, reason, graded_at)
   values ('${week}', 4, 'g2', 'void', 'There is no close.', '2026-11-20')`;
const event = (key: string) =>
  `insert into public.quality_events (at, kind, event_key) values ('2026-11-20', 'late', '${key}')`;

/** Runs statements and appends their rows to the ledger. Returns the number of new entries. */
const write = (database: Database, ...statements: readonly string[]): Promise<number> =>
  database.transaction(async (transaction) => {
    for (const sql of statements) await transaction.query(sql);
    return appendEntries(transaction);
  });

/** A site that serves files by path. The response for a path without a file is a 404. */
type Files = (path: string) => Promise<Uint8Array | null> | Uint8Array | null;

const filesOf = (database: Database): Files => {
  let time = 0;
  const fileAt = createServedLedger({ database, now: () => (time += 1_000) });
  return async (path) => (await fileAt(path))?.content ?? null;
};

/** The files of a ledger with a clock that the test moves, and the transactions of their reads. */
function watchedFiles(database: Database) {
  const transaction = vi.fn(database.transaction);
  const clock = { time: 0 };
  const now = () => clock.time;
  const fileAt = createServedLedger({ database: { ...database, transaction } as Database, now });
  return { transaction, clock, fileAt };
}

/** Returns the files of a ledger with these entries, signed with the key of a seed. */
function filesFor(entries: readonly string[], seed: Uint8Array = SEED): Map<string, Uint8Array> {
  const key = createLedgerKey(seed);
  const leaves = entries.map((entry) => leafHash(Buffer.from(entry)));
  const files = new Map<string, Uint8Array>([
    ['key', Buffer.from(key.verifierKey)],
    ['checkpoint', Buffer.from(signCheckpoint({ size: leaves.length, root: treeHash(leaves) }, key))],
  ]);
  for (const tile of tilesOf(leaves.length)) {
    const own = entries.slice(tile.index * 256, tile.index * 256 + tile.width);
    const content = tile.level === 'entries' ? bundleOfEntries(own) : tileOfHashes(leaves, tile);
    if (content !== null) files.set(tilePath(tile), content);
  }
  return files;
}

const PREFIX = `${URL_OF_SITE}/ledger/`;

function verify(files: Files | ReadonlyMap<string, Uint8Array>, older?: string) {
  const read: Files = typeof files === 'function' ? files : (path) => files.get(path) ?? null;
  const fetch = async (input: string | URL | Request) => {
    const content = await read(String(input).slice(PREFIX.length));
    return new Response(content && Buffer.from(content), { status: content === null ? 404 : 200 });
  };
  return verifyLedger({ site: URL_OF_SITE, older, now: NOW, fetch });
}

const kindsOf = ({ entries }: VerifiedLedger) => entries.map(({ kind }) => kind);

const SEED = Buffer.alloc(32, 3);
const ENTRIES = Array.from({ length: 300 }, (_, index) => `{"kind":"signal","week":"${weekOf(index)}"}`);
const [FIRST = '', SECOND = ''] = ENTRIES;
const published = (session: string, at = `${session}T21:10`) =>
  `{"id":1,"kind":"publication","published_at":"${at}","session":"${session}"}`;
const HONEST = filesFor(ENTRIES);
const OLDER = String(filesFor(ENTRIES.slice(0, 280)).get('checkpoint'));

describe('verifying a ledger', () => {
  it('passes for an unchanged ledger and returns the number of its entries', async () => {
    const result = await verify(HONEST, OLDER);
    expect(result).toMatchObject({ size: 300, olderSize: 280 });
    expect(kindsOf(result)).toEqual(Array(300).fill('signal'));
    expect(await verify(HONEST)).toMatchObject({ olderSize: null });
  });

  it.each([...HONEST.keys()])('fails when a byte of %s is flipped', async (path) => {
    const flipped = Buffer.from(HONEST.get(path) ?? []);
    flipped[flipped.length >> 1] = (flipped[flipped.length >> 1] ?? 0) ^ 1;
    await expect(verify(new Map(HONEST).set(path, flipped))).rejects.toThrow(/\.$/);
  });

  const CHANGED = '{"kind":"signal","verdict":"BUY","week":"2026-01-05"}';
  it.each([
    ['a removed week', filesFor(ENTRIES.toSpliced(4, 1)), /^The entries do not match the older/],
    ['a changed week', filesFor([CHANGED, ...ENTRIES.slice(1)]), /changed after its publication/],
    ['an older backup', filesFor(ENTRIES.slice(0, 279)), /^The ledger has 279 entries, fewer than the 280/],
    ['another key', filesFor(ENTRIES, Buffer.alloc(32, 4)), /was begun anew, or belongs to another site\.$/],
  ])('fails against an older checkpoint for %s, validly signed', async (_, files, sentence) => {
    await expect(verify(files)).resolves.toBeDefined();
    await expect(verify(files, OLDER)).rejects.toThrow(sentence);
  });

  const FORM = /^Entry 0 is not in canonical form/;
  const NO_WEEK = /^Entry 0 has no valid day in "week"/;
  const LATE =
    '{"at":"2026-11-23T20:00:00Z","decided_at":"2026-11-20T21:00:00Z","kind":"risk","outcome_from":"2026-11-23","part":"outlook"}';
  it.each([
    ['a week that is decided twice', [FIRST, FIRST], /^Entry 1 decides the week of 2026-01-05 a second time/],
    ['a week after a later week', [SECOND, FIRST], /^Entry 1 .* of 2026-01-05 after the week of 2026-01-12/],
    [
      'a time that goes back',
      [published('2026-11-20'), published('2026-11-19')],
      /^Entry 1, publication 1 \(session 2026-11-19\), is dated 2026-11-19T21:10, before an earlier entry of its kind \(2026-11-20T21:10\)/,
    ],
    ['a grade without a decision', ['{"kind":"grade","week":"2026-01-05"}'], /the ledger never decided/],
    ['an entry in another form', ['{"week":"2026-01-05","kind":"signal"}'], FORM],
    ['an entry that is not JSON', ['?'], FORM],
    ['half a surrogate pair', ['{"kind":"\\ud800"}'], FORM],
    ['an outlook without a day', ['{"kind":"risk","part":"outlook"}'], /^Entry 0 has no .* "outcome_from"/],
    [
      'an outlook after the open that also has an earlier time of another kind',
      [LATE],
      /^Entry 0 is an outlook that was recorded after the open of its first session, 2026-11-23/,
    ],
    ['a decision of no week', ['{"kind":"signal","week":"2026-13-01"}'], NO_WEEK],
    ['a grade of no week', ['{"kind":"grade"}'], NO_WEEK],
    ['an entry without a kind', ['{}'], /^Entry 0 has no kind/],
  ])('fails for %s', async (_, entries, sentence) => {
    await expect(verify(filesFor(entries))).rejects.toThrow(sentence);
  });

  const REBUILT = '{"decided_at":"2025-01-11","kind":"signal","origin":"rebuilt","week":"2025-01-06"}';
  it.each([
    ['earlier times and weeks of entries that were computed later', [...ENTRIES, REBUILT]],
    [
      'an entry dated in the future before an earlier one',
      [published('2040-01-03', '2040-01-03T21:10Z'), published('2035-12-31', '2035-12-31T21:10Z')],
    ],
  ])('accepts %s', async (_, entries) => {
    expect(await verify(filesFor(entries))).toMatchObject({ size: entries.length });
  });

  it.each([
    ['no checkpoint', 'Hello', /^The file has no checkpoint/],
    ['a changed one', OLDER.replace('\n280\n', '\n281\n'), /^The signature of the older .* is invalid/],
  ])('refuses %s as the older checkpoint', async (_, older, sentence) => {
    await expect(verify(HONEST, older)).rejects.toThrow(sentence);
  });

  it('names the missing file of a site', async () => {
    const files = new Map(HONEST);
    files.delete('tile/entries/001.p/44');
    await expect(verify(files)).rejects.toThrow(
      `${PREFIX}tile/entries/001.p/44 responds 404, so the ledger cannot be verified.`,
    );
  });

  it('asks a busy site again after the time that it states, five times at most', async () => {
    const waits: number[] = [];
    const asking = (busy: number) => {
      let left = busy;
      const headers = { 'retry-after': '60' };
      const answer = async () =>
        left-- > 0 ? new Response('', { status: 503, headers }) : new Response('here');
      return withRetries(answer, async (ms) => waits.push(ms))('https://example.com/');
    };
    expect(await (await asking(4)).text()).toBe('here');
    expect(waits).toEqual([5000, 5000, 5000, 5000]);
    expect((await asking(5)).status).toBe(503);
  });

  it('refuses a file without an end', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.enqueue(randomBytes(1 << 20)) }));
    const promise = verifyLedger({ site: URL_OF_SITE, fetch: async () => endless(), now: NOW });
    await expect(promise).rejects.toThrow('is longer than any file of a ledger');
  });

  it.each(['market.example', 'ftp://market.example', ''])('refuses "%s" as an address', (url) => {
    expect(siteOf(url)).toBeNull();
  });
});

describe('the ledger', () => {
  const { database } = databaseOfTheseTests();

  it('has no file before its first entry', async () => {
    expect(await filesOf(database)('checkpoint')).toBeNull();
    expect(await database.transaction(readCheckpoint)).toBeNull();
    expect(await write(database)).toBe(0);
  });

  it('appends each row once if several processes append at once', async () => {
    expect(await write(database, decision(weekOf(0)))).toBe(1);
    const added = await Promise.all(['a', 'b', 'c'].map((key) => write(database, event(key))));
    expect(added.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(await write(database)).toBe(0);
    for (const index of [1, 2]) expect(await write(database, decision(weekOf(index)))).toBe(1);
    expect(await write(database, grade(weekOf(0)))).toBe(1);
    const kinds = kindsOf(await verify(filesOf(database)));
    expect(kinds).toEqual(['signal', 'event', 'event', 'event', 'signal', 'signal', 'grade']);
  });

  it('appends a decision before its grade when both are new', async () => {
    expect(await write(database, decision(weekOf(4), '2027-01-01'), grade(weekOf(4)))).toBe(2);
    expect(await verify(filesOf(database))).toMatchObject({ size: 9 });
  });

  it('serves entries as canonical JSON, with instants to the microsecond', async () => {
    const bundle = await filesOf(database)('tile/entries/000.p/1');
    expect(entriesOfBundle(bundle ?? Buffer.of())?.map(String)).toEqual([
      `{"decided_at":"${weekOf(0)}T14:00:00.123456Z","formula_version":"1","inputs":{},"kind":"signal","origin":"live","range_high":null,` +
        '"range_low":null,"reason":"The rows are “stale”.","score":null,"session":null,"source":null,"sp500_close":null,' +
        `"status":"withheld","verdict":null,"week":"${weekOf(0)}","weights":{"a":1e+21,"b":0.1}}`,
    ]);
  });

  it('keeps an older checkpoint valid as it grows', async () => {
    const older = (await database.transaction(readCheckpoint)) ?? '';
    const files = filesOf(database);
    expect(String(await files('checkpoint'))).toBe(older);
    await write(database, decision(weekOf(5)));
    expect(await verify(files, older)).toMatchObject({ olderSize: 9, size: 10 });
    expect(String(await files('checkpoint'))).toBe(await database.transaction(readCheckpoint));
  });

  it('reads the database at most once a second', async () => {
    const { transaction, clock, fileAt } = watchedFiles(database);
    await Promise.all([fileAt('checkpoint'), fileAt('key'), fileAt('tile/0/000.p/1')]);
    for (const [passed, reads] of [
      [0, 1],
      [1_000, 2],
      [-60_000, 3],
    ] as const) {
      clock.time += passed;
      await fileAt('checkpoint');
      expect(transaction).toHaveBeenCalledTimes(reads);
    }
  });

  it('serves an anchor that is committed after one with a larger id', async () => {
    const add = (id: number, kind: string) =>
      write(
        database,
        `insert into archive.anchors (id, message_id, kind, authority, proof, anchored_at)
         overriding system value select ${id}, id, '${kind}', 'a place', '', '2026-11-21' from mailer.messages`,
      );
    await write(
      database,
      `insert into mailer.messages (channel, issue_id, name, content)
       select 'anchor', min(id), 'a week', '{"checkpoint": ""}' from mailer.issued_signals`,
    );
    const files = filesOf(database);
    const kinds = async () =>
      (JSON.parse(String(await files('anchors.json'))) as { kind: string }[]).map(({ kind }) => kind);
    await add(2, 'git');
    expect(await kinds()).toEqual(['git']);
    await add(1, 'witness');
    expect(await kinds()).toEqual(['witness', 'git']);
  });

  it('serves the last checkpoint while the database is unavailable', async () => {
    const { transaction, clock, fileAt } = watchedFiles(database);
    transaction.mockRejectedValueOnce(new Error('away'));
    await expect(fileAt('checkpoint')).rejects.toThrow('away');
    const before = await fileAt('checkpoint');
    transaction.mockRejectedValueOnce(new Error('away'));
    clock.time += 1_000;
    expect(await fileAt('checkpoint')).toEqual(before);
    expect(transaction).toHaveBeenCalledTimes(3);
  });

  it('serves the ledger of the database after a failover to a standby without its newest entries', async () => {
    const [primary, standby] = await Promise.all([embeddedForTest(), embeddedForTest()]);
    try {
      await write(primary.database, event('a'));
      const [key] = await primary.database.transaction((transaction) =>
        transaction.query<{ seed: string }>(`select encode(seed, 'hex') as seed from archive.ledger_key`),
      );
      await write(
        standby.database,
        `insert into archive.ledger_key (seed) values (decode('${key?.seed}', 'hex'))`,
        event('a'),
      );
      await write(primary.database, event('lost'));

      let current = primary.database;
      const files = filesOf({ ...current, transaction: (...work) => current.transaction(...work) });
      expect(await verify(files)).toMatchObject({ size: 2 });
      current = standby.database;
      const expectItsLedger = async () =>
        expect(String(await files('checkpoint'))).toBe(await standby.database.transaction(readCheckpoint));
      await expectItsLedger();
      await write(standby.database, event('b'), event('c'));
      await expectItsLedger();
      // The ledger of the standby is the longer one when it is read for the first time.
      current = primary.database;
      expect(await verify(files)).toMatchObject({ size: 2 });
      current = standby.database;
      await expectItsLedger();
      expect(await verify(files)).toMatchObject({ size: 3 });
    } finally {
      await Promise.all([primary.remove(), standby.remove()]);
    }
  });

  it.each(['tile/0/000', 'tile/0/000.p/12', 'tile/entries/000.p/12', 'tile/1/000.p/1', 'other', ''])(
    'has no file %s',
    async (path) => {
      expect(await filesOf(database)(path)).toBeNull();
    },
  );
});
