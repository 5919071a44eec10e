import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../scripts/set-up.mjs';

/** One line of the table: what is specified, and the tests that show it. */
interface Line {
  id: string;
  says: string;
  tests: readonly { file: string; title: string }[];
}

const TEST = /`([^`]+\.test\.tsx?)` › ([^<|]+)/g;

function linesOf(markdown: string): Line[] {
  return markdown.split('\n').flatMap((line) => {
    const [, id, says, shown] = /^\| ((?:\d+|R)\.\d+) \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (id === undefined || says === undefined || shown === undefined) return [];
    const tests = [...shown.matchAll(TEST)].map(([, file = '', title = '']) => ({
      file,
      title: title.trim(),
    }));
    return [{ id, says, tests }];
  });
}

const lines = linesOf(readFileSync(join(ROOT, 'docs', 'spec-coverage.md'), 'utf8'));
const sources = new Map<string, string>();

/** The source of a test file; empty when there is none. */
function sourceOf(file: string): string {
  const path = join(ROOT, file);
  const known = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  sources.set(file, known);
  return known;
}

/** Whether a test file has a test of that title, as written there, and does not skip it. */
function hasTest(file: string, title: string): boolean {
  const source = sourceOf(file).replaceAll("\\'", "'");
  const quoted = [`'${title}'`, `"${title}"`, `\`${title}\``].map((text) => source.indexOf(text));
  const at = Math.max(...quoted);
  return at >= 0 && !/\.(skip|todo|only)\W[^'"`]*$/.test(source.slice(Math.max(0, at - 200), at));
}

describe('the coverage of the specification', () => {
  it('has every section and every reading, each line once', () => {
    const ids = lines.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const sections = new Set(ids.map((id) => id.split('.')[0]));
    expect([...sections].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'R']);
    const readings = ids.filter((id) => id.startsWith('R.'));
    expect(readings).toEqual(Array.from({ length: 18 }, (_, index) => `R.${index + 1}`));
  });

  it('names for every line a test that is there', () => {
    const missing = lines.flatMap(({ id, tests }) =>
      tests.length === 0
        ? [`${id}: no test`]
        : tests
            .filter(({ file, title }) => !hasTest(file, title))
            .map(({ file, title }) => `${id}: ${file} › ${title}`),
    );
    expect(lines.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });
});
