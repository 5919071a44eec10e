import { readTable, type TableRow } from '#collector/csv/read-table.ts';
import { createProblems, SourceError, shown } from '#collector/problems.ts';
import { FEAR_GREED_COMPONENTS } from '#domain/fear-greed/components.ts';
import { RAW_COLUMNS, readRawColumns, SESSIONS_NEEDED, scoreFearGreed } from '#domain/fear-greed/score.ts';
import { command } from '../command.ts';
import { UsageError } from '../settings/usage-error.ts';

const COLUMNS = FEAR_GREED_COMPONENTS.map((component) => RAW_COLUMNS[component].column);

const HELP = `Usage: npm run barometer -- fear-greed --series FILE.csv

Computes the Fear & Greed index from its seven raw series. FILE.csv has one row per session, oldest first, with the columns
  date,${COLUMNS.join(',')}
in any order. Other columns are ignored; an empty field is a missing value. A full score needs ${SESSIONS_NEEDED.full} sessions.
Prints CSV: date,index and the seven component scores, 0 to 100, empty if there are too few sessions.`;

/** Reads the series of raw values in a file. Throws SourceError that names the file, line and column of a fault. */
async function readRawSeries(path: string) {
  const values: number[][] = COLUMNS.map(() => []);
  const dates: string[] = [];
  const problems = createProblems();
  let newest = Number.NEGATIVE_INFINITY;
  const onRow = (row: TableRow) => {
    const wrong = (column: string, why: string) => {
      throw new SourceError(`${path}, line ${row.line}, column ${column}: ${why}.`);
    };
    const day = row.day(0);
    const text = row.text(0);
    if (Number.isNaN(day)) wrong('date', `'${shown(text)}' is not a day written YYYY-MM-DD`);
    if (day <= newest) wrong('date', `${text} does not come after the row before it`);
    newest = day;
    dates.push(text);
    for (const [index, column] of COLUMNS.entries()) {
      const value = row.decimal(index + 1);
      const written = row.text(index + 1);
      if (Number.isNaN(value) && written !== '') wrong(column, `'${shown(written)}' is not a number`);
      values[index]?.push(value);
    }
  };
  await readTable(path, { columns: ['date', ...COLUMNS], onRow }, problems);
  const broken = problems.shown[0];
  if (broken !== undefined) throw new SourceError(`${broken.message}.`);
  const raw = readRawColumns((column) => Float64Array.from(values[COLUMNS.indexOf(column)] ?? []));
  return { dates, raw };
}

const cell = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? '' : String(Math.round(value * 1e6) / 1e6);

export const fearGreed = command({
  help: HELP,
  flags: { series: { type: 'string' } },
  async run({ stdout }, { series: path }) {
    if (path === undefined)
      throw new UsageError('fear-greed needs --series FILE.csv; see "fear-greed --help".');
    const { dates, raw } = await readRawSeries(path);
    const { value, components } = scoreFearGreed(raw);
    const lines = dates.map((date, at) =>
      [
        date,
        cell(value[at]),
        ...FEAR_GREED_COMPONENTS.map((component) => cell(components[component][at])),
      ].join(','),
    );
    stdout.write(`${['date,index', ...FEAR_GREED_COMPONENTS].join(',')}\n${lines.join('\n')}\n`);
    return 0;
  },
});
