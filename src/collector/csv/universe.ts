import { basename } from 'node:path';
import type { Member } from '#domain/market-history.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import { type Problems, SourceError } from '../problems.ts';
import { readTable } from './read.ts';
import { fieldText } from './rows.ts';

const COLUMNS = ['symbol', 'name', 'sector'] as const;
/** What neither a terminal nor a page may get, and the database does not take all of. */
const UNSEEN = /\p{C}/u;

/** The companies of a `universe.csv`. Throws SourceError when there is none in it. */
export async function readUniverse(path: string, problems: Problems): Promise<Member[]> {
  const file = basename(path);
  const members = new Map<string, Member>();
  await readTable(
    path,
    {
      columns: COLUMNS,
      onRow(bytes, fields, line, at) {
        const [symbol = '', name = '', sector = ''] = at.map((field) =>
          fieldText(bytes, fields, field).replace(/\s+/g, ' '),
        );
        const long = [symbol, name, sector].findIndex((text) => text.length > LONGEST_TEXT);
        const unseen = [symbol, name, sector].findIndex((text) => UNSEEN.test(text));
        const empty = [symbol, name, sector].indexOf('');
        if (empty >= 0) {
          problems.refuse(
            'missing value',
            { file, line, column: COLUMNS[empty] as string },
            'there is no value',
          );
        } else if (long >= 0) {
          problems.refuse(
            'text',
            { file, line, column: COLUMNS[long] as string },
            `longer than ${LONGEST_TEXT} characters`,
          );
        } else if (unseen >= 0) {
          problems.refuse(
            'text',
            { file, line, column: COLUMNS[unseen] as string },
            'a character that cannot be seen',
          );
        } else if (members.has(symbol)) {
          problems.refuse('duplicate', { file, line, column: 'symbol' }, `${symbol} is in the file twice`);
        } else {
          members.set(symbol, { symbol, name, sector });
        }
      },
    },
    problems,
  );
  if (members.size === 0)
    throw new SourceError(`${file} names no company; each needs symbol, name and sector.`);
  return [...members.values()];
}
