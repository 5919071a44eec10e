import { basename } from 'node:path';
import { formatDay } from '#domain/calendar/days.ts';
import type { BarMatrix, Member } from '#domain/market-history.ts';
import { type BarTable, createBarTable } from '../history/bar-table.ts';
import { shown } from '../printable.ts';
import { type ProblemKind, type Problems, SourceError } from '../problems.ts';
import { readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { readTable } from './read.ts';
import { type Fields, fieldText } from './rows.ts';
import type { SessionDays } from './session-days.ts';
import { createSymbolTable } from './symbol-table.ts';
import { refusalOf } from './values.ts';

const COLUMNS = ['symbol', 'date', 'open', 'high', 'low', 'close', 'volume'] as const;

/**
 * The bars of `paths` up to and including `lastDay` (days since 1970), rows that cannot be right left out and
 * named in `problems`. Throws SourceError when a file yields no bar.
 */
export async function readBars(
  paths: readonly string[],
  members: readonly Member[],
  lastDay: number,
  sessionDays: SessionDays,
  problems: Problems,
): Promise<BarMatrix> {
  const table = createBarTable();
  const firstRows: { file: string; row: number }[] = [];
  for (const path of paths) {
    const file = basename(path);
    const before = table.length;
    firstRows.push({ file, row: before });
    await readBarFile(path, file, members, table, sessionDays, problems);
    if (table.length > before) continue;
    const first = problems.shown.find((problem) => problem.file === file);
    throw new SourceError(`${file} yields no bar at all${first ? ` (${first.message})` : ''}.`);
  }
  return table.toMatrix(members, lastDay, (row, line, member, day) => {
    const file = firstRows.findLast((first) => first.row <= row)?.file ?? '';
    const symbol = members[member]?.symbol ?? '';
    problems.refuse('duplicate', { file, line }, `a second bar of ${symbol} on ${formatDay(day)}`);
  });
}

async function readBarFile(
  path: string,
  file: string,
  members: readonly Member[],
  table: BarTable,
  sessionDays: SessionDays,
  problems: Problems,
): Promise<void> {
  const symbols = createSymbolTable(members.map((member) => member.symbol));
  const values = new Float64Array(5);

  function refuse(kind: ProblemKind, row: Row, column: number, why: string): void {
    const text = shown(fieldText(row.bytes, row.fields, row.at[column] as number));
    const at = { file, line: row.line, column: COLUMNS[column] as string };
    if (text === '') problems.refuse('missing value', at, 'there is no value');
    else
      problems.refuse(
        kind,
        at,
        why.replace('%', () => text),
      );
  }

  await readTable(
    path,
    {
      columns: COLUMNS,
      // Called once a bar: nothing is allocated here unless the row is refused.
      onRow(bytes, fields, line, at) {
        const { starts, ends } = fields;
        const symbolField = at[0] as number;
        const member = symbols.find(bytes, starts[symbolField] as number, ends[symbolField] as number);
        if (member < 0)
          return refuse('unknown symbol', { bytes, fields, line, at }, 0, '% is not in universe.csv');
        const dateField = at[1] as number;
        const day = readDay(bytes, starts[dateField] as number, ends[dateField] as number);
        const dayRefusal = sessionDays.refusal(day);
        if (dayRefusal !== null) return refuse('date', { bytes, fields, line, at }, 1, `'%' ${dayRefusal}`);
        for (let index = 0; index < 5; index += 1) {
          const field = at[index + 2] as number;
          const value = readDecimal(bytes, starts[field] as number, ends[field] as number);
          const refusal = refusalOf(value, index < 4 ? 'positive' : 'not negative');
          if (refusal !== null) {
            return refuse(refusal.kind, { bytes, fields, line, at }, index + 2, `'%' is ${refusal.why}`);
          }
          values[index] = value;
        }
        const high = values[1] as number;
        const low = values[2] as number;
        if (high < low)
          return refuse('high below low', { bytes, fields, line, at }, 3, `% is below the low of ${low}`);
        table.push(member, day, line, values);
      },
    },
    problems,
  );
}

interface Row {
  bytes: Uint8Array;
  fields: Fields;
  line: number;
  at: readonly number[];
}
