import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Database } from '#database/port.ts';
import type { Balancer } from '#tests/support/balancer.ts';
import { type ServedProcess, startServedProcess } from '#tests/support/served-process.ts';

const PROGRAM = resolve('dist', 'server', 'barometer.js');
const CLOCK = pathToFileURL(resolve('.tsbuild', 'bench', 'processes-clock.js')).href;

/** The servers' clock: its start (epoch ms) and its speed. */
export interface Pace {
  readonly epoch: number;
  readonly pace: number;
}

export interface ServersOptions extends Pace {
  readonly count: number;
  readonly folder: string;
  readonly databaseUrl: string;
  readonly smtpUrl: string;
  readonly balancer: Balancer;
  readonly drainSeconds: number;
}

/** Numbers of servers stopped and killed so far. */
export interface Ends {
  killed: number;
  stopped: number;
  /** Number of stopped servers with an exit code other than 0. */
  badly: number;
}

/** Servers that are stopped and restarted one by one, never all at once. */
export interface Servers {
  readonly ends: Ends;
  /** Now by the servers' clock (epoch ms). */
  now(): number;
  start(): Promise<void>;
  /** Stops or kills one server and restarts it. Does nothing if too few others run. */
  replace(how: 'kill' | 'stop', which: number): Promise<void>;
  /** Kills the server that holds the collector's lease. Returns false if too few others run. */
  killCollector(database: Database): Promise<boolean>;
  /** All log lines of all servers, also of ended servers. */
  lines(): string[];
  /** Ends all servers. */
  end(): Promise<void>;
}

export function createServers(options: ServersOptions): Servers {
  const { count, folder, databaseUrl, smtpUrl, balancer, drainSeconds, epoch, pace } = options;
  const began = Date.now();
  const settings = {
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'signal@barometer.example',
    PUBLIC_URL: 'https://barometer.example',
    // A time before the start of the first server by its clock, so that the signal is due.
    SIGNAL_AT: 'Tue 08:00',
    DRAIN_SECONDS: String(drainSeconds),
    NODE_OPTIONS: `--import=${CLOCK}`,
    ...{ BENCH_BEGAN: String(began), BENCH_EPOCH: String(epoch), BENCH_PACE: String(pace) },
  };
  const all: { output(): string }[] = [];
  const live: (ServedProcess | null)[] = Array.from({ length: count }, () => null);
  const ends: Ends = { killed: 0, stopped: 0, badly: 0 };

  const startAt = async (at: number): Promise<void> => {
    const started = startServedProcess(PROGRAM, {
      folder: join(folder, `server-${at}`),
      databaseUrl,
      settings,
    });
    all.push(started);
    const server = await started.listening;
    live[at] = server;
    await balancer.add(server);
  };

  const others = (server: ServedProcess) =>
    live.filter((each) => each !== null && each !== server && balancer.isReady(each));

  const end = async (server: ServedProcess, how: 'kill' | 'stop'): Promise<void> => {
    if (how === 'kill') {
      ends.killed += 1;
      await server.kill();
    } else {
      ends.stopped += 1;
      if ((await server.stop()) !== 0) ends.badly += 1;
    }
    balancer.remove(server);
  };

  const replace: Servers['replace'] = async (how, which) => {
    const at = which % count;
    const server = live[at] ?? null;
    if (server === null || !balancer.isReady(server) || others(server).length === 0) return;
    live[at] = null;
    await end(server, how);
    await startAt(at);
  };

  return {
    ends,
    now: () => epoch + (Date.now() - began) * pace,
    async start() {
      // The first server fills the database for the others.
      for (let at = 0; at < count; at += 1) await startAt(at);
    },
    replace,
    async killCollector(database) {
      const [lease] = await database.transaction((transaction) =>
        transaction.query<{ holder: string }>(
          "select holder from operations.leases where name = 'collector'",
        ),
      );
      const run = Number(/process (\d+)/.exec(lease?.holder ?? '')?.[1]);
      const parent = parentOf(run);
      const at = live.findIndex((server) => server !== null && server.pid === parent);
      if (at < 0) return false;
      const { killed } = ends;
      await replace('kill', at);
      return ends.killed > killed;
    },
    lines: () => all.flatMap(({ output }) => output().split('\n').filter(Boolean)),
    async end() {
      await Promise.all(live.splice(0).map((server) => server && end(server, 'stop')));
    },
  };
}

/** Parent of a process; NaN if it is unknown or has exited. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}
