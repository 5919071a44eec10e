import { basename } from 'node:path';
import type { Member } from '#domain/market-history.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import { type Problems, SourceError } from '../problems.ts';
import { readTable } from './read.ts';

const COLUMNS = ['symbol', 'name', 'sector'] as const;
/** Invisible characters. The database rejects some of them. */
const UNSEEN = /\p{C}/u;

/** The companies of a `universe.csv`. Throws SourceError without any. */
export async function readUniverse(path: string, problems: Problems): Promise<Member[]> {
  const file = basename(path);
  const members = new Map<string, Member>();
  await readTable(
    path,
    {
      columns: COLUMNS,
      onRow(row) {
        const texts = COLUMNS.map((_, column) => row.text(column).replace(/\s+/g, ' '));
        const column = texts.findIndex((text) => refusalOf(text) !== null);
        const [symbol = '', name = '', sector = ''] = texts;
        if (column >= 0) row.refuse('text', column, () => refusalOf(texts[column] ?? '') ?? '');
        else if (members.has(symbol)) row.refuse('duplicate', 0, () => `${symbol} is in the file twice`);
        else members.set(symbol, { symbol, name, sector });
      },
    },
    problems,
  );
  if (members.size === 0)
    throw new SourceError(`${file} names no company. Add one per line with symbol, name and sector.`);
  return [...members.values()];
}

/** Returns the reason why a text is invalid; null if it is valid. */
function refusalOf(text: string): string | null {
  if (text === '') return 'there is no value';
  if (text.length > LONGEST_TEXT) return `longer than ${LONGEST_TEXT} characters`;
  return UNSEEN.test(text) ? 'a character that cannot be seen' : null;
}
