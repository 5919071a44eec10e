import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { addSubscribers } from '#tests/support/deliveries.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import type { Figure } from './figure.ts';

const LINES = 100_000;
const HUNDREDS = LINES / 100;
const LONGEST_SECONDS = 30;
const KILLS = 3;
/** Time between the first imported lines and a kill (ms). */
const KILL_AFTER = 1_000;
const PROGRAM = join('dist', 'server', 'barometer.js');
const MIGRATIONS = resolve('supabase', 'migrations');

/** The counts that the report of the import must have. */
const EXPECTED = {
  lines: LINES,
  added: 93 * HUNDREDS,
  'already subscribed': HUNDREDS,
  'repeated in the file': 2 * HUNDREDS,
  'subscription ended here before (never added again)': HUNDREDS,
  'inactive in the file': HUNDREDS,
  malformed: 2 * HUNDREDS,
};

const hundredths = (name: string) => Array.from({ length: HUNDREDS }, (_, at) => `${name}-${at}@example.org`);

/** The n-th line. Each hundred has 2 malformed lines, 2 repeated ones, and 1 subscribed, unsubscribed and inactive reader. */
function lineOf(at: number): string {
  const hundred = Math.floor(at / 100);
  const date = '2024-05-01 10:00:00.123456 +0000 UTC';
  const line = (email: string, status = 'enabled', consent = date) =>
    `${at},${email},"Reader, ""${at}""","{""from"": ""a form""}",${status},${consent},${date}\r\n`;
  switch (at % 100) {
    case 7:
      return line(`reader-${at}@example.org`, 'enabled', '');
    case 8:
      return line(`reader-${at} at example.org`);
    case 9:
    case 59:
      return line(`READER-${at - 3}@Example.org`);
    case 10:
      return line(`left-${hundred}@example.org`);
    case 11:
      return line(`here-${hundred}@example.org`);
    case 12:
      return line(`reader-${at}@example.org`, 'blocklisted');
    default:
      return line(`reader-${at}@example.org`);
  }
}

const query = (database: Database, sql: string) =>
  database.transaction((transaction) => transaction.query<{ count: number }>(sql));

async function fill(database: Database): Promise<void> {
  await addSubscribers(database, hundredths('left'));
  await query(
    database,
    "update public.email_subscribers set is_active = false, deactivated_at = now(), deactivated_because = 'left'",
  );
  await addSubscribers(database, hundredths('here'));
}

interface Run {
  readonly stdout: string;
  readonly seconds: number;
}

/** Runs the import; kills it `killAfter` ms after it has imported the first lines. */
function runImport(
  file: string,
  settings: Readonly<Record<string, string>>,
  killAfter: number | null = null,
): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env;
  const started = performance.now();
  const child = spawn(process.execPath, [resolve(PROGRAM), 'subscribers', 'import', file, '--apply'], {
    cwd: tmpdir(),
    env: { PATH, HOME, NODE_ENV: 'production', ...settings },
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.once('data', () => {
    if (killAfter !== null) setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', () => done({ stdout, seconds: (performance.now() - started) / 1000 }));
  });
}

/** Number of counts in the command's report that are not as expected. */
function wrongCounts(stdout: string): number {
  const printed = new Map(
    [...stdout.matchAll(/^ *([\d,]+) {2}(.+)$/gm)].map(([, count = '', text = '']) => [
      text,
      Number(count.replaceAll(',', '')),
    ]),
  );
  return Object.entries(EXPECTED).filter(([text, count]) => printed.get(text) !== count).length;
}

interface Place {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  open(): Promise<Database>;
}

async function inDatabase<T>({ open }: Place, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await open();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function measure(place: Place, file: string): Promise<Figure[]> {
  const { name, settings } = place;
  await inDatabase(place, fill);
  const whole = await runImport(file, settings);
  await inDatabase(place, async (database) => {
    await query(database, 'delete from public.email_subscribers');
    await fill(database);
  });
  for (let kill = 1; kill <= KILLS; kill += 1) await runImport(file, settings, kill * KILL_AFTER);
  await runImport(file, settings);
  const readers = 'from public.email_subscribers where is_active';
  const [rows, distinct, back] = await inDatabase(place, async (database) => [
    (await query(database, `select count(*) as count ${readers}`))[0]?.count ?? 0,
    (await query(database, `select count(distinct email) as count ${readers}`))[0]?.count ?? 0,
    (await query(database, `select count(*) as count ${readers} and email like 'left%'`))[0]?.count ?? 0,
  ]);
  const expected = EXPECTED.added + EXPECTED['already subscribed'];
  return [
    {
      what: `${name}: ${LINES.toLocaleString('en-US')} lines`,
      value: whole.seconds,
      unit: 's',
      bound: { atMost: LONGEST_SECONDS },
    },
    {
      what: `${name}: counts that differ from the file`,
      value: wrongCounts(whole.stdout),
      unit: '',
      bound: { exactly: 0 },
    },
    {
      what: `${name}: subscribers after ${KILLS} kills`,
      value: rows ?? 0,
      unit: '',
      bound: { exactly: expected },
    },
    {
      what: `${name}: of these with the address of another`,
      value: (rows ?? 0) - (distinct ?? 0),
      unit: '',
      bound: { exactly: 0 },
    },
    { what: `${name}: unsubscribed ones added again`, value: back ?? 0, unit: '', bound: { exactly: 0 } },
  ];
}

/**
 * Imports a file of 100,000 lines into each kind of database with the built command: once without interruption, and once with
 * kills of the command.
 */
export async function benchImport(): Promise<Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const file = join(parent, 'list.csv');
  writeFileSync(
    file,
    `uuid,email,name,attributes,status,created_at,updated_at\r\n${Array.from({ length: LINES }, (_, at) => lineOf(at)).join('')}`,
  );
  const postgres = await startPostgres({ isDurable: true });
  try {
    const folder = join(parent, 'database');
    const embedded = await measure(
      {
        name: 'embedded database',
        settings: { BAROMETER_DATA_DIR: parent },
        open: () => openEmbedded({ folder, migrationsFolder: MIGRATIONS }),
      },
      file,
    );
    const server = await measure(
      {
        name: 'Postgres',
        settings: { BAROMETER_DATA_DIR: parent, DATABASE_URL: postgres.url },
        open: () => openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS }),
      },
      file,
    );
    return [...embedded, ...server];
  } finally {
    await postgres.stop();
    rmSync(parent, { recursive: true, force: true });
  }
}
