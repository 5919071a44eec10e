import { EventEmitter, once } from 'node:events';
import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { listen } from './notifications.ts';

describe('listening', () => {
  const { database, run } = databaseOfTheseTests();

  it('wakes after each new delivery and each change of the verdict, until it is stopped', async () => {
    let woken = 0;
    const stop = database.listen('deliveries', () => {
      woken += 1;
    });
    await expect.poll(() => woken).toBe(1);
    await run("insert into public.email_subscribers (email, confirmed_at) values ('a@example.org', null)");
    await expect.poll(() => woken).toBe(2);
    await run(`insert into archive.verdict_changes (session, at, to_verdict, score, source, formula_version)
      values ('2026-11-20', '2026-11-20T21:30Z', 'BUY', 61, 'live', '2')`);
    await expect.poll(() => woken).toBe(3);
    await stop();
    await run('notify deliveries');
    expect(woken).toBe(3);
  });

  it('wakes after a lost connection was replaced', async () => {
    let woken = 0;
    const clients: EventEmitter[] = [];
    const connect = async () => {
      const client = Object.assign(new EventEmitter(), {
        processID: 7,
        query: async () => ({ rows: [{ pid: 7 }] }),
        escapeIdentifier: (name: string) => name,
        release: () => undefined,
      });
      clients.push(client);
      return client as unknown as PoolClient;
    };
    const stop = listen(
      connect,
      'deliveries',
      () => {
        woken += 1;
      },
      1,
    );
    await expect.poll(() => woken).toBe(1);
    clients[0]?.emit('end');
    await expect.poll(() => woken).toBe(2);
    await stop();
    expect(clients).toHaveLength(2);
  });

  it('leaves the connection of a pooler as it was', async () => {
    const sent: string[] = [];
    const connect = async () =>
      Object.assign(new EventEmitter(), {
        processID: 1,
        query: async (sql: string) => {
          sent.push(sql);
          return { rows: [{ pid: 2 }] };
        },
        release: () => sent.push('released'),
      }) as unknown as PoolClient;
    const stop = listen(connect, 'deliveries', () => sent.push('woken'), 1);
    await expect.poll(() => sent.at(-1)).toBe('released');
    await stop();
    expect(sent).toEqual(['select pg_backend_pid() as pid', 'released']);
  });

  it('stops while the server does not respond', async () => {
    const queries = new EventEmitter();
    const queried = once(queries, 'query');
    let isReleased = false;
    const connect = async () =>
      Object.assign(new EventEmitter(), {
        query: () => {
          queries.emit('query');
          return new Promise(() => undefined);
        },
        release: () => {
          isReleased = true;
        },
      }) as unknown as PoolClient;
    const stop = listen(connect, 'deliveries', () => undefined);
    await queried;
    await stop();
    expect(isReleased).toBe(true);
  });
});
