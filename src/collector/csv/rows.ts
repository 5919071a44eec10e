import { SourceError } from '../problems.ts';

/** Maximum length of a line with its line break (characters). */
export const LONGEST_LINE = 65_536;

/** Called for each line that is not blank, counted from 1. `cells` is null if a quote is not closed on its line. */
type OnRow = (cells: readonly string[] | null, line: number, text: string) => void;

/** Splits CSV in UTF-8 into rows of trimmed cells, quoted cells on one line. Throws SourceError for a long line. */
export function createRowReader(file: string, onRow: OnRow) {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;

  function checkLength(text: string, at: number): void {
    if (text.length < LONGEST_LINE) return;
    throw new SourceError(
      `${file}, line ${at} is longer than ${LONGEST_LINE / 1024} KiB. Check that each row ends with a line break.`,
    );
  }

  function readLine(text: string): void {
    line += 1;
    checkLength(text, line);
    const cells = cellsOf(text.endsWith('\r') ? text.slice(0, -1) : text);
    if (cells === null || cells.length > 1 || cells[0] !== '') onRow(cells, line, text);
  }

  return {
    feed(chunk: Uint8Array) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) readLine(text);
      checkLength(rest, line + 1);
    },
    /** Reads the last line if no line end follows it. Call it once, after all bytes. */
    end() {
      rest += decoder.decode();
      if (rest !== '') readLine(rest);
    },
  };
}

/** A cell with the comma after it. It has quotes around it, with doubled quotes inside, or no quote at its start. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",][^,]*)?)(?:,|$)/y;

function cellsOf(line: string): string[] | null {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (let hasMore = true; hasMore; ) {
    const [cell, quoted, plain = ''] = CELL.exec(line) ?? [];
    if (cell === undefined) return null;
    cells.push((quoted ?? plain).replaceAll('""', '"').trim());
    hasMore = cell.endsWith(',');
  }
  return cells;
}
