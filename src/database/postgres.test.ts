import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '#tests/support/postgres.ts';
import { shared } from '#tests/support/shared.ts';
import { DatabaseUnavailable } from './failures.ts';
import { queryOnce } from './port.ts';
import { openPostgres } from './postgres.ts';

/** A proxy to a server that can stop forwarding without closing a connection. */
async function startProxy(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = String((proxy.address() as AddressInfo).port);
  return {
    url: through.href,
    fallSilent: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

describe('a Postgres that disappears', () => {
  const server = shared(startPostgres);
  const database = shared(() => openPostgres({ url: server.url, max: 2 }));

  it('fails the open transactions after a lost connection', async () => {
    const sleeping = Array.from({ length: 2 }, () =>
      database.transaction(async (transaction) => {
        await transaction.query("select 'under way', pg_sleep(60)");
      }),
    );
    const failures = Promise.allSettled(sleeping);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where query like '%under way%' and pid <> pg_backend_pid()`;
    const isUnderWay = `do $$ begin while (select count(*) from pg_stat_activity where query like 'select ''under way%') < 2 loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`;
    await server.run(isUnderWay);
    await server.run(cut);
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: 'rejected', reason: { code: '57P01' } });
    }
    expect(await queryOnce(database, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('ends an idle transaction, so that a stopped process keeps no locks', async () => {
    const idle = () =>
      queryOnce(database, "select current_setting('idle_in_transaction_session_timeout') as idle");
    expect(await idle()).toEqual([{ idle: '1min' }]);
    const frozen = database.transaction(async (transaction) => {
      await transaction.query("set local idle_in_transaction_session_timeout = '20ms'");
      const cut = "not exists (select from pg_stat_activity where state = 'idle in transaction')";
      await server.run(
        `do $$ begin while not (${cut}) loop perform pg_sleep(0.01), pg_stat_clear_snapshot(); end loop; end $$`,
      );
      await transaction.query('select 1');
    });
    await expect(frozen).rejects.toThrow();
    expect(await idle()).toEqual([{ idle: '1min' }]);
  });

  it('does not keep the process alive by a closed database whose server is silent', async () => {
    const proxy = await startProxy(server.url);
    const throughProxy = await openPostgres({ url: proxy.url, max: 2 });
    const openSockets = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    try {
      // One connection that listens, and an idle one.
      const stopListening = await new Promise<() => Promise<void>>((resolve) => {
        const stop = throughProxy.listen('nothing', () => stop && resolve(stop));
      });
      const inUse = await throughProxy.transaction(async (transaction) => {
        await transaction.query('select 1');
        return openSockets();
      });
      proxy.fallSilent();
      await stopListening();
      await throughProxy.close();
      expect(openSockets()).toBeLessThanOrEqual(inUse - 2);
    } finally {
      await throughProxy.close();
      await proxy.close();
    }
  });

  it('closes a silent connection at the timeout', async () => {
    const proxy = await startProxy(server.url);
    const throughProxy = await openPostgres({ url: proxy.url, max: 1 });
    const ask = () => queryOnce(throughProxy, 'select 1 as one');
    try {
      expect(await ask()).toEqual([{ one: 1 }]);
      const silent = throughProxy.transaction(
        async (transaction) => {
          proxy.fallSilent();
          await transaction.query('select 1');
        },
        { statementTimeoutMs: 1 },
      );
      await expect(silent).rejects.toBeInstanceOf(DatabaseUnavailable);
      expect(await ask()).toEqual([{ one: 1 }]);
    } finally {
      await throughProxy.close();
      await proxy.close();
    }
  });
});
