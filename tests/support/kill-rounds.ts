import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { noise } from './bars.ts';
import { SHORT_LIVED } from './product.ts';

/** Multiplies the kills of a proof: see tests/README.md. */
export const KILL_FACTOR = Number(process.env.KILL_FACTOR ?? 1);

/** Files of a child process over the embedded database: its bundled program, the migrations. */
export interface ChildProgram {
  program: string;
  migrationsFolder: string;
}

/** Starts `embedded-child.ts` over a folder, as an argument of the program `within` if given. */
export function startChild(
  { program, migrationsFolder }: ChildProgram,
  mode: 'write' | 'subscribe' | 'close' | 'hold',
  folder: string,
  round = 0,
  within: readonly string[] = [],
) {
  const parameters = [program, mode, folder, migrationsFolder, String(round)];
  const [command = '', ...rest] = [...within, process.execPath, ...SHORT_LIVED, ...parameters];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

/** Kills the child once it has printed `count` lines; returns all its lines, including later ones. */
async function killAfter(
  child: ChildProcess,
  lines: AsyncIterable<string>,
  count: number,
): Promise<string[]> {
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    if (said.length === count) child.kill('SIGKILL');
  }
  return said;
}

const readAll = (database: Database) =>
  database.transaction(async (transaction) => ({
    emails: await transaction.query<{ email: string }>('select email from email_subscribers'),
    halves: await transaction.query('select name from collector.series group by name having count(*) <> 2'),
    pairs: await transaction.query('select distinct name from collector.series'),
  }));

/** Contents of the database after a round, compared with the lines of the killed processes. */
export interface Round {
  /** Exit status of the process, and its first output. */
  ended: NodeJS.Signals | null;
  first: string | undefined;
  confirmed: number;
  /** Values that were confirmed but are missing. */
  lost: string[];
  /** Values that were not confirmed but are present: in progress when a process was killed. */
  unconfirmed: number;
  /** Numbers of partial and of complete transactions. */
  halves: number;
  pairs: number;
}

/** Kills a process that writes to the database, repeatedly. Yields the contents after each round. */
export async function* killRounds(run: ChildProgram, folder: string, rounds: number): AsyncGenerator<Round> {
  const random = noise(20_261_120);
  const confirmed = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const { child, ended, lines } = startChild(run, 'write', folder, round);
    const [first, ...said] = await killAfter(child, lines, 2 + Math.floor(random() * 60));
    await ended;
    for (const email of said) confirmed.add(email);

    const database = await openEmbedded({ folder });
    const { emails, halves, pairs } = await readAll(database);
    await database.close();
    const present = new Set(emails.map(({ email }) => email));
    yield {
      ended: child.signalCode,
      first,
      confirmed: confirmed.size,
      lost: [...confirmed].filter((email) => !present.has(email)),
      unconfirmed: present.size - confirmed.size,
      halves: halves.length,
      pairs: pairs.length,
    };
  }
}
