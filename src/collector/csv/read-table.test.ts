import { describe, expect, it } from 'vitest';
import { createRowReader, readDecimal } from './read-table.ts';

/** The rows of a text fed in pieces of `size` bytes; null for a row whose quotes are not closed. */
function rowsOf(text: string, size = 1 << 20): { line: number; cells: readonly string[] | null }[] {
  const rows: ReturnType<typeof rowsOf> = [];
  const reader = createRowReader('file.csv', (cells, line) => rows.push({ line, cells }));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.feed(bytes.subarray(at, at + size));
  reader.end();
  return rows;
}

describe('createRowReader', () => {
  const WRITTEN = '\uFEFFa,b\r\n1,"x, ""y"""\r\n\r\n,\n"",é\n"a""",\nlast,line';
  const READ = [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x, "y"'] },
    { line: 4, cells: ['', ''] },
    { line: 5, cells: ['', 'é'] },
    { line: 6, cells: ['a"', ''] },
    { line: 7, cells: ['last', 'line'] },
  ];

  it('accepts a byte order mark, both line ends, quotes, empty fields and an unfinished last line', () => {
    expect(rowsOf(WRITTEN)).toEqual(READ);
  });

  it('returns the same rows for every size of the chunks', () => {
    for (let size = 1; size < 12; size += 1) expect(rowsOf(WRITTEN, size)).toEqual(READ);
  });

  it('reports a quote that is not closed with its line', () => {
    expect(rowsOf('a,"b\nc,d\n"e"f,g')).toEqual([
      { line: 1, cells: null },
      { line: 2, cells: ['c', 'd'] },
      { line: 3, cells: null },
    ]);
  });

  it.each([1 << 20, 1_000])(
    'rejects a line longer than 64 KiB with its number, in chunks of %d bytes [T5]',
    (size) => {
      const fits = `${'x'.repeat(65_535)}\n`;
      expect(rowsOf(fits + fits, size)).toHaveLength(2);
      expect(() => rowsOf(`${fits}x${fits}a\n`, size)).toThrow(
        'file.csv, line 2 is longer than 64 KiB. Check that each row ends with a line break.',
      );
    },
  );

  it('rejects a line as soon as it is too long, without its end', () => {
    const { feed } = createRowReader('file.csv', () => undefined);
    feed(Buffer.alloc(40_000, 'x'));
    expect(() => feed(Buffer.alloc(40_000, 'x'))).toThrow('file.csv, line 1 is longer than 64 KiB');
  });
});

it.each(['', '.', '-', '1.2.3', '1,2', '0x10', 'Infinity', 'NaN', '1e', '1 2', '1e999', '--1'])(
  'reads %j as no number',
  (text) => {
    expect(readDecimal(text)).toBeNaN();
  },
);
