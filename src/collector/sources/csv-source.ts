import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { lastSessions, newestClosedSession } from '#domain/calendar/sessions.ts';
import type { BarMatrix } from '#domain/market-history.ts';
import { readBars, readSeries, readUniverse, SERIES_FILE_NAMES } from '../csv/market-files.ts';
import { readTable } from '../csv/read-table.ts';
import { assembleHistory } from '../history/merge.ts';
import type { Source, SourceReading } from '../history/source.ts';
import { checkCoverage } from '../live/checks.ts';
import { LIVE_LIMITS } from '../live/plan.ts';
import { createProblems, type Problems, SourceError } from '../problems.ts';

export interface CsvSourceOptions {
  /** Folder with `universe.csv`, `bars*.csv` and any of the series, each gzipped or not. */
  dir: string;
  /** The last day to read, YYYY-MM-DD; the newest closed session by default. */
  asOf?: string | undefined;
  /** Shows the last session as the newest closed one, for demonstration. */
  replay?: boolean | undefined;
}

export function createCsvSource({ dir, asOf, replay = false }: CsvSourceOptions): Source {
  return {
    name: replay ? 'replay' : 'csv',
    plan: async ({ now, problems }) => ({ read: () => readFolder({ dir, asOf }, now, problems) }),
    // As many consecutive sessions, up to the newest closed one.
    ...(replay ? { relabel: ({ length }, now) => lastSessions(newestClosedSession(now), length) } : {}),
  };
}

async function readFolder(
  { dir, asOf }: CsvSourceOptions,
  now: number,
  problems: Problems,
): Promise<SourceReading> {
  const files = await listMarketFiles(dir);
  const universeFile = files.find((file) => isNamed(file, 'universe.csv'));
  if (universeFile === undefined) {
    throw new SourceError(`${dir} has no universe.csv (symbol,name,sector). Add one.`);
  }
  const barFiles = files.filter(isBars);
  if (barFiles.length === 0) {
    throw new SourceError(`${dir} has no bars*.csv (symbol,date,open,high,low,close,volume). Add one.`);
  }
  const members = await readUniverse(join(dir, universeFile), problems);
  const newest = parseDay(newestClosedSession(now));
  const lastDay = Math.min(asOf === undefined ? Number.POSITIVE_INFINITY : parseDay(asOf), newest);
  const paths = barFiles.map((file) => join(dir, file));
  const bars = await readBars(paths, members, lastDay, problems);
  if (bars.sessions.length === 0) {
    const until = asOf === undefined ? 'up to the newest closed session' : `up to ${asOf}`;
    const [first] = problems.shown;
    const refused = first && `, and ${problems.refused} of its rows cannot be used (${first.message})`;
    throw new SourceError(
      `${dir} has no bar ${until}${refused ?? ''}. Add earlier rows or choose a later day.`,
    );
  }
  checkNewestSession(bars);
  const lastBar = parseDay(bars.sessions.at(-1) ?? '');
  const series = await readSeries(dir, files, { lastDay: lastBar, problems });
  const universe = `${members.length} stocks`;
  return { history: assembleHistory(bars, series, universe), members, observedAt: null };
}

/** Throws SourceError if too few companies have a bar of the newest session. Accepts a single session. */
function checkNewestSession({ sessions, members, close }: BarMatrix): void {
  if (sessions.length < 2) return;
  const rowOf = new Map(members.map(({ symbol }, row) => [symbol, row]));
  const columnOf = new Map(sessions.map((session, column) => [session, column]));
  const hasBar = (symbol: string, session: string) => {
    const cell = (rowOf.get(symbol) ?? 0) * sessions.length + (columnOf.get(session) ?? 0);
    return !Number.isNaN(close[cell]);
  };
  checkCoverage(members, hasBar, sessions.slice(-LIVE_LIMITS.recentSessions));
}

const isBars = (file: string) => /^bars.*\.csv(\.gz)?$/.test(file) && !file.includes('universe');

function isNamed(file: string, name: string): boolean {
  return file === name || file === `${name}.gz`;
}

/** The files of daily series that a folder lacks: 'vix.csv'. Empty if the folder cannot be read. */
export async function missingSeriesFiles(dir: string): Promise<string[]> {
  const files = await readdir(dir).catch(() => null);
  if (files === null) return [];
  return SERIES_FILE_NAMES.filter((name) => !files.some((file) => isNamed(file, name)));
}

/** A file of a folder of market data, and the last day in it (`YYYY-MM-DD`); null without a day. */
async function endOf(dir: string, file: string) {
  let last = Number.NEGATIVE_INFINITY;
  await readTable(
    join(dir, file),
    {
      columns: ['date'],
      onRow(row) {
        if (row.day(0) > last) last = row.day(0);
      },
    },
    createProblems(),
  );
  return { file, last: Number.isFinite(last) ? formatDay(last) : null };
}

/** The file of bars with the newest day, and each file of series, with their last days. */
export async function fileEnds(dir: string) {
  const files = await listMarketFiles(dir);
  const bars = [];
  for (const file of files.filter(isBars)) bars.push(await endOf(dir, file));
  const newest = bars.sort((one, other) => (other.last ?? '').localeCompare(one.last ?? '')).slice(0, 1);
  const ends = [...newest];
  for (const name of SERIES_FILE_NAMES) {
    const file = files.find((each) => isNamed(each, name));
    if (file !== undefined) ends.push(await endOf(dir, file));
  }
  return ends;
}

/** The names of the files in a folder of market data. Throws SourceError if the folder cannot be read. */
export async function listMarketFiles(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).sort();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'ENOTDIR' ? 'is not a folder' : 'cannot be read';
    throw new SourceError(
      `The folder of market data ${dir} ${why}. Set MARKET_CSV_DIR to the folder of the files.`,
      { cause: error },
    );
  }
}
