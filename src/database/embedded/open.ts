import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../migrate.ts';
import { type Database, failedTransaction, type Transaction, type TransactionOptions } from '../port.ts';
import { openRemote } from '../remote/remote-database.ts';
import { serveConnection } from '../remote/serve-database.ts';
import { beginStatements, type Statement, type StatementResult, withStatements } from '../statements.ts';
import { DatabaseUnavailable, databaseClosed } from '../unavailable.ts';
import { ensureFolder } from './folder.ts';
import { createListeners, startListening } from './listeners.ts';
import { connectToHolder, takeLock } from './lock.ts';
import { openSession, type Session } from './session.ts';

/** All tables except those of Postgres, whose rows hardly change and which take 30 times as long to vacuum. */
const OWN_TABLES = `select string_agg(format('%I.%I', schemaname, tablename), ', ') as list from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema')`;

export interface EmbeddedOptions {
  /** The folder of the database; it is created if it does not exist. The lock folder is beside it. */
  folder: string;
  /** The built worker: `embedded-worker.js` beside the server. */
  workerUrl: URL;
  /** Folder of migrations to apply first. */
  migrationsFolder?: string;
}

async function runTransaction<T>(
  session: Session,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  let isBegun = false;
  let hasFailed = false;
  const run = async (statement: Statement): Promise<StatementResult> => {
    if (session.ended) throw failedTransaction();
    // The statements that begin the transaction are sent with its first statement, which saves a round trip to the
    // worker.
    const begin = isBegun ? undefined : beginStatements(options);
    isBegun = true;
    const { keepsPlans: keepsPlan, statementTimeoutMs } = options;
    return session.send({ ...statement, begin, keepsPlan }, statementTimeoutMs).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  };
  const rollBack = () => session.send({ kind: 'script', sql: 'rollback' }).catch(() => undefined);
  const result = await withStatements(run, work).catch(async (error: unknown) => {
    if (isBegun && !session.ended) await rollBack();
    throw error;
  });
  if (session.ended) throw failedTransaction();
  if (!isBegun) return result;
  if (options.readOnly && !hasFailed) {
    // There is nothing to commit. The worker rolls back before it begins the next transaction.
    void rollBack();
    return result;
  }
  const tag = await session.send({ kind: 'script', sql: 'commit' });
  if (String(tag).startsWith('ROLLBACK')) throw failedTransaction();
  return result;
}

/** Connections of other processes, which are served once the database is open. */
function createClients() {
  const sockets = new Set<Socket>();
  let isOver = false;
  let serve: (database: Database) => void = () => undefined;
  const opened = new Promise<Database>((resolve) => {
    serve = resolve;
  });
  return {
    serve,
    add(socket: Socket): void {
      if (isOver) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      void opened.then((database) => serveConnection(database, socket));
    },
    /** Closes all connections; their open transactions are rolled back. */
    end(): void {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Takes the lock of the folder, creates the embedded database if there is none, opens it, and applies the migrations.
 * Afterwards other processes of this machine use the database through this one (`openShared`). The database has one
 * session, so transactions run one after another. Throws `DatabaseUnavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { folder, workerUrl, migrationsFolder } = options;
  const clients = createClients();
  const releaseLock = await takeLock(folder, clients.add);
  const release = () => {
    clients.end();
    releaseLock();
  };
  const listeners = createListeners();
  const open = () =>
    openSession(workerUrl, folder, {
      notified: listeners.notified,
      lost: () => {
        listeners.lost();
        // Starts the next worker now instead of at the next statement, which may come much later.
        if (listeners.hasAny) void inSession(async () => undefined).catch(() => undefined);
      },
    });
  let session: Session;
  try {
    await ensureFolder(folder, workerUrl);
    session = await open();
  } catch (error) {
    release();
    throw error;
  }

  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  const inSession = <T>(work: (open: Session) => Promise<T>): Promise<T> => {
    if (closing) return Promise.reject(databaseClosed());
    return enqueue(async () => {
      if (session.ended) {
        await session.close();
        session = await open();
        await listeners.resume(session).catch(async (error: unknown) => {
          await session.close();
          throw error;
        });
      }
      return work(session);
    });
  };

  const database: Database = {
    engine: 'embedded',
    transaction: (work, transactionOptions = {}) =>
      inSession((open) => runTransaction(open, work, transactionOptions)),
    listen: (channel, listener) =>
      inSession(async (open) => {
        await startListening(open, channel);
        return listeners.add(channel, listener);
      }),
    vacuum: () =>
      inSession(async (open) => {
        const [row] = (await open.send({ kind: 'query', sql: OWN_TABLES, parameters: [] })) as {
          list: string;
        }[];
        await open.send({ kind: 'script', sql: `vacuum ${row?.list ?? ''}` });
      }),
    close: () => {
      clients.end();
      closing ??= enqueue(() => session.close()).finally(release);
      return closing;
    },
  };

  await migrated(database, migrationsFolder);
  clients.serve(database);
  return database;
}

/** Longest wait for a process that is taking or releasing the lock (ms). */
const LOCK_WAIT_MS = 5_000;
const RETRY_MS = 50;

/**
 * Opens the embedded database through the process that has it open, or, if there is none, as `openEmbedded` does.
 * Throws `DatabaseUnavailable`.
 */
export async function openShared(options: EmbeddedOptions): Promise<Database> {
  const { folder, migrationsFolder } = options;
  const deadline = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      const socket = await connectToHolder(folder);
      if (socket === null) return await openEmbedded(options);
      socket.destroy();
      return await migrated(
        openRemote(() => connectToHolder(folder)),
        migrationsFolder,
      );
    } catch (error) {
      // The other process may be opening or closing the database.
      const isTransient = error instanceof DatabaseUnavailable && ['locked', 'lost'].includes(error.reason);
      if (!isTransient || performance.now() > deadline) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function migrated(database: Database, migrationsFolder: string | undefined): Promise<Database> {
  try {
    if (migrationsFolder) await migrate(database, migrationsFolder);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
