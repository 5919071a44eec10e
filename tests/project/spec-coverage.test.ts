import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasTest, type NamedTest, namedTests } from '#tests/support/named-tests.ts';
import { ROOT } from '../../scripts/set-up.mjs';

/** One line of the table: what is specified, and the tests that show it. */
interface Line {
  id: string;
  says: string;
  tests: readonly NamedTest[];
}

function linesOf(markdown: string): Line[] {
  return markdown.split('\n').flatMap((line) => {
    const [, id, says, shown] = /^\| ((?:\d+|R)\.\d+) \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (id === undefined || says === undefined || shown === undefined) return [];
    return [{ id, says, tests: namedTests(shown) }];
  });
}

const lines = linesOf(readFileSync(join(ROOT, 'docs', 'spec-coverage.md'), 'utf8'));
describe('the coverage of the specification', () => {
  it('has every section and every reading, each line once', () => {
    const ids = lines.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const sections = new Set(ids.map((id) => id.split('.')[0]));
    expect([...sections].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', 'R']);
    const readings = ids.filter((id) => id.startsWith('R.'));
    expect(readings).toEqual(Array.from({ length: 24 }, (_, index) => `R.${index + 1}`));
  });

  it('names for every line a test that is there', () => {
    const missing = lines.flatMap(({ id, tests }) =>
      tests.length === 0
        ? [`${id}: no test`]
        : tests.filter((test) => !hasTest(test)).map(({ file, title }) => `${id}: ${file} › ${title}`),
    );
    expect(lines.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });
});
