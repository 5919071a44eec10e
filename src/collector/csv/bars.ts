import { basename } from 'node:path';
import { formatDay } from '#domain/calendar/days.ts';
import type { BarMatrix, Member } from '#domain/market-history.ts';
import { createBarTable } from '../history/bar-table.ts';
import { type Problems, SourceError } from '../problems.ts';
import { NO_DAY } from './fields.ts';
import { readTable } from './read.ts';

const COLUMNS = ['symbol', 'date', 'open', 'high', 'low', 'close', 'volume'] as const;
const RANGES = ['positive', 'positive', 'positive', 'positive', 'not negative'] as const;

/**
 * The bars of `paths` up to and including `lastDay` (days since 1970). Rejects invalid rows into `problems`. Throws
 * SourceError if a file has no valid bar.
 */
export async function readBars(
  paths: readonly string[],
  members: readonly Member[],
  lastDay: number,
  problems: Problems,
): Promise<BarMatrix> {
  const bars = createBarTable();
  const indexOf = new Map(members.map(({ symbol }, index) => [symbol, index]));
  const values = new Float64Array(5);
  const files: { file: string; firstRow: number }[] = [];
  for (const path of paths) {
    const file = basename(path);
    const firstRow = bars.length;
    files.push({ file, firstRow });
    await readTable(
      path,
      {
        columns: COLUMNS,
        onRow(row) {
          const member = indexOf.get(row.repeatedText(0));
          if (member === undefined)
            return row.refuse('unknown symbol', 0, (symbol) => `${symbol} is not in universe.csv`);
          const day = row.session(1);
          if (day === NO_DAY) return;
          if (!row.numbers(2, RANGES, values)) return;
          const high = values[1] as number;
          const low = values[2] as number;
          if (high < low)
            return row.refuse('high below low', 3, (text) => `${text} is below the low of ${low}`);
          bars.push(member, day, row.line, values);
        },
      },
      problems,
    );
    if (bars.length > firstRow) continue;
    const first = problems.shown.find((problem) => problem.file === file);
    throw new SourceError(`${file} has no valid bar${first ? ` (${first.message})` : ''}.`);
  }
  return bars.toMatrix(members, lastDay, (row, line, member, day) => {
    const file = files.findLast(({ firstRow }) => firstRow <= row)?.file ?? '';
    const symbol = members[member]?.symbol ?? '';
    problems.refuse('duplicate', { file, line }, `a second bar of ${symbol} on ${formatDay(day)}`);
  });
}
