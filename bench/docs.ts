import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keptResult } from './results.ts';
import { markdownTable } from './table.ts';

const DOCUMENT = join('docs', 'maintainers', 'performance.md');
const START = '<!-- figures -->';
const END = '<!-- /figures -->';

/** Returns the document with new content between its markers; null if a marker is missing. */
export function withFigures(document: string, figures: string): string | null {
  const start = document.indexOf(START);
  const end = document.indexOf(END, start);
  if (start < 0 || end < 0) return null;
  return `${document.slice(0, start + START.length)}\n\n${figures}\n\n${document.slice(end)}`;
}

/** Writes the stored results of these benchmarks into docs/maintainers/performance.md. Returns a sentence about the outcome. */
export function writeDocs(benches: readonly string[]): string {
  const results = benches.map((bench) => keptResult(bench)).filter((result) => result !== null);
  const document = readFileSync(DOCUMENT, 'utf8');
  const written = withFigures(document, results.map(markdownTable).join('\n\n'));
  if (written === null) throw new Error(`${DOCUMENT} has no ${START} before ${END}. Restore both markers.`);
  writeFileSync(DOCUMENT, written);
  return `${DOCUMENT} has the results of ${results.map(({ bench }) => bench).join(', ') || 'no benchmark'}.`;
}
