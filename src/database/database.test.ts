import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { DatabaseError, queryOnce, READ_ONLY, readOnce, SNAPSHOT, type Transaction } from './port.ts';

const SLOW = 'select count(*) from generate_series(1, 1000000000)';

const bytes = (value: string) => new TextEncoder().encode(value);

/** Returns the `DatabaseError` that a promise rejects with. */
async function refusal(promise: Promise<unknown>): Promise<DatabaseError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof DatabaseError) return error;
  throw new Error(`Refused otherwise: ${String(error)}`);
}

describe('a database', () => {
  const { database, run, script } = databaseOfTheseTests();

  beforeEach(() => script('drop table if exists notes; create table notes (id int primary key, word text)'));

  const words = (transaction: Transaction) => transaction.query('select id, word from notes order by id');

  it('commits when the work resolves', async () => {
    const result = await database.transaction(async (transaction) => {
      await transaction.query('insert into notes values ($1, $2)', [1, 'kept']);
      return 'result';
    });
    expect(result).toBe('result');
    expect(await database.transaction(words)).toEqual([{ id: 1, word: 'kept' }]);
  });

  it('rolls back with the error of the work', async () => {
    const reason = new Error('rolled back');
    const attempt = database.transaction(async (transaction) => {
      await transaction.query("insert into notes values (1, 'lost')");
      throw reason;
    });
    await expect(attempt).rejects.toBe(reason);
    expect(await database.transaction(words)).toEqual([]);
  });

  it('fails a transaction whose work caught an error of a statement', async () => {
    const attempt = database.transaction(async (transaction) => {
      await transaction.query("insert into notes values (1, 'lost')");
      await transaction.query('select * from nowhere').catch(() => undefined);
    });
    expect((await refusal(attempt)).code).toBe('25P02');
    expect(await database.transaction(words)).toEqual([]);
  });

  it('sets a role for one transaction only', async () => {
    const who = (transaction: Transaction) => transaction.query('select current_user::text as who');
    const asAnon = { role: 'anon' } as const;
    const owner = await database.transaction(who);
    expect(await database.transaction(who, asAnon)).toEqual([{ who: 'anon' }]);
    expect(await database.transaction(who)).toEqual(owner);
    await refusal(queryOnce(database, 'select 1 / 0', [], asAnon));
    expect(await database.transaction(who)).toEqual(owner);
  });

  it('writes nothing in a read-only transaction', async () => {
    const attempt = readOnce(database, "insert into notes values (1, 'x')");
    expect((await refusal(attempt)).code).toBe('25006');
  });

  it('returns each type of value as its documented JavaScript type', async () => {
    const [row] = await run(
      `select 32767::int2 as small, 2147483647 as whole, 9007199254740991::int8 as big, 0.1::float8 as double,
                1.5::float4 as single, 12.50::numeric as exact, 'NaN'::float8 as nothing, '-Infinity'::float8 as least,
                true as yes, date '2026-11-20' as day, timestamptz '2026-11-20 16:00:00.123456-05' as instant,
                timestamptz '0044-03-15 00:00:00+00 BC' as ides, '{"a":[1,null]}'::jsonb as document,
                '[1]'::json as list, array[1,2] as array, 'ä'::text as word, 5::public.percentage as share, null as missing,
                '\\x00ff'::bytea as raw`,
    );
    expect(row).toEqual({
      small: 32767,
      whole: 2147483647,
      big: 9007199254740991,
      double: 0.1,
      single: 1.5,
      exact: 12.5,
      nothing: Number.NaN,
      least: Number.NEGATIVE_INFINITY,
      yes: true,
      day: '2026-11-20',
      instant: '2026-11-20T21:00:00.123Z',
      ides: '0044-03-15 00:00:00+00 BC',
      document: { a: [1, null] },
      list: [1],
      array: '{1,2}',
      word: 'ä',
      share: 5,
      missing: null,
      raw: '\\x00ff',
    });
  });

  it('accepts parameters of every type', async () => {
    const [row] = await run(
      `select $1::text as word, $2::float8 as number, $3::boolean as yes, $4::date as day, $5::timestamptz as instant,
                ($6::jsonb)->>'a' as field, $7::int as missing, $8::bigint as whole`,
      ["it's", 0.1, false, '2026-11-20', '2026-11-20T21:00:00Z', '{"a":"b"}', null, 7],
    );
    expect(row).toEqual({
      word: "it's",
      number: 0.1,
      yes: false,
      day: '2026-11-20',
      instant: '2026-11-20T21:00:00.000Z',
      field: 'b',
      missing: null,
      whole: 7,
    });
  });

  it('runs one statement per query, and several statements per script', async () => {
    const two = 'insert into notes values (1); insert into notes values (2)';
    expect((await refusal(run(two))).code).toBe('42601');
    await script(two);
    expect(await database.transaction(words)).toHaveLength(2);
  });

  it('copies rows into and out of a table', async () => {
    await database.transaction(async (transaction) => {
      const taken = await transaction.copyIn(
        'copy notes (id, word) from stdin (format csv, header)',
        bytes('id,word\n1,"a, ""b"""\n2,\n3,ü\n'),
      );
      expect(taken).toBe(3);
    });
    const copied = (sql: string) => database.transaction((transaction) => text(transaction.copyOut(sql)));
    expect(await copied('copy (select * from notes order by id) to stdout (format csv)')).toBe(
      '1,"a, ""b"""\n2,\n3,ü\n',
    );
    expect(await copied('copy (select 1 where false) to stdout')).toBe('');
  });

  it('copies a long output in pieces, at which the caller may stop', async () => {
    const copy = 'copy (select repeat(n::text, 100) from generate_series(1, 100000) as n) to stdout';
    const lengthUpTo = (most: number, sql = copy) =>
      database.transaction(async (transaction) => {
        let length = 0;
        for await (const piece of transaction.copyOut(sql)) {
          expect(piece.length).toBeLessThan(1 << 20);
          length += piece.length;
          if (length > most) throw new Error('stopped');
        }
        return length;
      });
    expect(await lengthUpTo(Number.POSITIVE_INFINITY)).toBe(48_989_500);
    await expect(lengthUpTo(1)).rejects.toThrow('stopped');
    await expect(lengthUpTo(1, 'copy nothing to stdout')).rejects.toMatchObject({ code: '42P01' });
    expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('throws errors with SQLSTATE, detail and hint', async () => {
    const refused = (sql: string) => refusal(run(sql));
    expect((await refused('select * from nowhere')).code).toBe('42P01');
    expect((await refused('select wrd from notes')).hint).toContain('notes.word');
    const twice = await refused("insert into notes values (1, 'a'), (1, 'b')");
    expect(twice).toMatchObject({ code: '23505', detail: 'Key (id)=(1) already exists.' });
  });

  it('cancels a statement at its timeout, then runs the next transaction', {
    retry: 2,
  }, async ({ task }) => {
    await run("insert into notes values (1, 'kept')");
    // The timeout includes the first statement, which may be slow. Each retry of this test has a longer timeout.
    const statementTimeoutMs = 200 * 5 ** (task.result?.retryCount ?? 0);
    let ended: Promise<DatabaseError> | undefined;
    const slow = database.transaction(
      async (transaction) => {
        await transaction.query("insert into notes values (2, 'lost')");
        ended = refusal(transaction.query(SLOW));
        await ended;
        return 'continued';
      },
      { statementTimeoutMs },
    );
    const behind = database.transaction(words);
    expect((await refusal(slow)).code).toBe('25P02');
    expect(await ended).toMatchObject({
      code: '57014',
      message: 'canceling statement due to statement timeout',
    });
    expect(await behind).toEqual([{ id: 1, word: 'kept' }]);
    expect(await database.transaction(words)).toEqual([{ id: 1, word: 'kept' }]);
  });

  it('isolates the rows and roles of concurrent transactions', async () => {
    const seen = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        database.transaction(
          async (transaction) => {
            if (at % 2 === 1) {
              await transaction.query('insert into notes values ($1, $2)', [at, 'uncommitted']);
              await transaction.query('select 1');
              await transaction.query('delete from notes where id = $1', [at]);
              return { role: 'none', uncommitted: 0 };
            }
            const [row] = await transaction.query<{ role: string }>('select current_user::text as role');
            const [market] = await transaction.query<{ count: number }>(
              'select count(*) as count from market_indices',
            );
            return { role: row?.role, uncommitted: market?.count };
          },
          at % 2 === 1 ? {} : { role: 'anon', readOnly: true },
        ),
      ),
    );
    for (const [at, row] of seen.entries()) {
      expect(row).toEqual({ role: at % 2 === 1 ? 'none' : 'anon', uncommitted: 0 });
    }
  });

  it.each([
    [SNAPSHOT, 0],
    [READ_ONLY, 1],
  ])('shows later commits in a new snapshot only: %j', async (options, later) => {
    const insert = () => run("insert into notes values (1, 'meanwhile')");
    let meanwhile: Promise<unknown> | undefined;
    const seen = await database.transaction(async (transaction) => {
      const first = await words(transaction);
      meanwhile = insert();
      await meanwhile;
      return [first, await words(transaction)];
    }, options);
    await meanwhile;
    expect(seen.map((rows) => rows.length)).toEqual([0, later]);
    expect(await database.transaction(words)).toHaveLength(1);
  });

  it('refuses a statement after the end of its transaction', async () => {
    const escaped: Transaction[] = [];
    await database.transaction(async (transaction) => {
      escaped.push(transaction);
    });
    const [transaction] = escaped as [Transaction];
    await expect(transaction.query('select 1')).rejects.toThrow('This transaction has ended.');
    const copied = text(transaction.copyOut('copy (select 1) to stdout'));
    await expect(copied).rejects.toThrow('This transaction has ended.');
  });
});
