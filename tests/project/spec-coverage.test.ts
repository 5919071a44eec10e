import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';
import { findFaults, promisedLines, readTestSources } from './tagged-tests.ts';

const lines = promisedLines(readFileSync(join(ROOT, 'docs', 'maintainers', 'spec-coverage.md'), 'utf8'));
const sources = readTestSources();
const OURS = /^[SR]\d/;

describe('the coverage of the specification', () => {
  it('has every section, with each line once', () => {
    const ids = lines.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const sections = new Set(ids.filter((id) => id.startsWith('S')).map((id) => id.slice(1).split('.')[0]));
    expect([...sections].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    const readings = ids.filter((id) => id.startsWith('R'));
    expect(readings).toEqual(Array.from({ length: 31 }, (_, index) => `R${index + 1}`));
    expect(lines.length).toBeGreaterThan(100);
  });

  it('has the tests that each line promises', () => {
    expect(findFaults(lines, sources.tags, OURS)).toEqual([]);
  });

  it('notices a removed test, a line without a test and an unknown tag', () => {
    const tags = new Map([
      ['S1.1', 1],
      ['S9.9', 1],
      ['T1', 1],
    ]);
    const promised = promisedLines('- S1.1: a (2)\n- S1.2: b\n| R1 | c | 0 |\n');
    expect(findFaults(promised, tags, OURS)).toEqual([
      'A test has the tag [S9.9], which no line of the document has.',
      'S1.1 promises 2 tests; 1 have its tag.',
      'S1.2 promises 1 tests; 0 have its tag.',
      'R1 promises 0 tests; 0 have its tag.',
    ]);
  });
});

it('no test is skipped, todo or only', () => {
  expect(sources.notRun).toEqual([]);
});

it('every tag is in a document', () => {
  expect([...sources.tags.keys()].filter((tag) => !/^[SRT]/.test(tag))).toEqual([]);
});
