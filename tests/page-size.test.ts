import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ROOT } from '../scripts/set-up.mjs';

const CLIENT = join(ROOT, 'dist', 'client');
const KIB = 1024;
/** What a first load may cost, compressed: the page's own script, its styles, and the code of its reads. */
const BUDGET = { script: 75, styles: 6, reads: 25 } as const;

const html = readFileSync(join(CLIENT, 'index.html'), 'utf8');

/** The files that elements of the page refer to, such as './assets/index-….js'. */
function referred(element: RegExp): string[] {
  return (html.match(new RegExp(element, 'g')) ?? []).map(
    (tag) => /(?:src|href)="\.\/([^"]+)"/.exec(tag)?.[1] ?? '',
  );
}

/** Files and what they import without being asked to, which a browser fetches with them. */
function withImports(files: readonly string[], found = new Set<string>()): Set<string> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    const code = readFileSync(join(CLIENT, file), 'utf8');
    const imports = [...code.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)];
    withImports(
      imports.map(([, name]) => `assets/${name}`),
      found,
    );
  }
  return found;
}

function kibOf(files: Iterable<string>): number {
  const bytes = [...files].map((file) => brotliCompressSync(readFileSync(join(CLIENT, file))).length);
  return bytes.reduce((sum, size) => sum + size, 0) / KIB;
}

const scripts = withImports(referred(/<script type="module"[^>]*>/));

it('a first load keeps within its budget of script', () => {
  expect(scripts.size).toBeGreaterThan(0);
  expect(kibOf(scripts)).toBeGreaterThan(40);
  expect(kibOf(scripts)).toBeLessThanOrEqual(BUDGET.script);
});

it('a first load keeps within its budget of styles', () => {
  const styles = referred(/<link rel="stylesheet"[^>]*>/);
  expect(styles).toHaveLength(1);
  expect(kibOf(styles)).toBeLessThanOrEqual(BUDGET.styles);
});

it('the code of the reads comes along with the script, in one file within a budget of its own', () => {
  const reads = referred(/<link rel="modulepreload"[^>]*>/);
  expect(reads).toEqual([expect.stringMatching(/^assets\/reads-/)]);
  const more = [...withImports(reads)].filter((file) => !scripts.has(file));
  expect(more).toEqual(reads);
  expect(kibOf(more)).toBeLessThanOrEqual(BUDGET.reads);
});
