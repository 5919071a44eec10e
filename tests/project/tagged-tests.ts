import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';

/** Tags at the end of a title: `'is red below 35 [S9.6]'`. */
const TAGS = /(?<= )((?:\[[A-Z]\d+(?:\.\d+)?\] ?)+)['"`]/g;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
/** `it.skip('needs …` replaces tests whose program the machine lacks; CI has all programs. */
const NOT_RUN = /\b(?:describe|it|test)(?:\.\w+)*\.(?:skip(?!\('needs )|todo|only)\b.*/g;

interface TestSources {
  /** Number of tests by tag. */
  readonly tags: ReadonlyMap<string, number>;
  /** Lines that keep a test from running. */
  readonly notRun: readonly string[];
}

function isTestSource(folder: string, name: string): boolean {
  // A test and a proof can share a file, which has another name.
  return /\.test\.tsx?$/.test(name) || (folder === 'tests' && /^(?!support\/).*\.ts$/.test(name));
}

/** Reads the tags and skips of all test files, without comments. */
export function readTestSources(): TestSources {
  const tags = new Map<string, number>();
  const notRun: string[] = [];
  for (const folder of ['src', 'bench', 'tests']) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!isTestSource(folder, name)) continue;
      const source = readFileSync(join(ROOT, folder, name), 'utf8').replace(COMMENT, '');
      for (const [line] of source.matchAll(NOT_RUN)) notRun.push(`${folder}/${name}: ${line}`);
      for (const [, found = ''] of source.matchAll(TAGS)) {
        for (const [, tag = ''] of found.matchAll(/\[(.+?)\]/g)) tags.set(tag, (tags.get(tag) ?? 0) + 1);
      }
    }
  }
  return { tags, notRun };
}

/** A line of a document: `- S9.4: promise (2)` or `- S9.5: promise`, or `| T7 | promise | 2 |` in a table. */
export interface PromisedLine {
  readonly id: string;
  /** Minimum number of tests with the tag. */
  readonly tests: number;
}

export function promisedLines(markdown: string): PromisedLine[] {
  return [...markdown.matchAll(/^[-|] ([A-Z]\d+(?:\.\d+)?)(?::| \|) .*?(?: \((\d+)\)|\| (\d+) \|)?$/gm)].map(
    ([, id = '', inList, inTable]) => ({ id, tests: Number(inList ?? inTable ?? 1) }),
  );
}

/** Differences between the lines of a document and the tags of the tests, one sentence each. `ours` matches the ids of the document. */
export function findFaults(
  lines: readonly PromisedLine[],
  tags: ReadonlyMap<string, number>,
  ours: RegExp,
): string[] {
  const known = new Set(lines.map(({ id }) => id));
  const unknown = [...tags.keys()].filter((tag) => ours.test(tag) && !known.has(tag));
  const short = lines.filter(({ id, tests }) => (tags.get(id) ?? 0) < Math.max(1, tests));
  return [
    ...unknown.map((tag) => `A test has the tag [${tag}], which no line of the document has.`),
    ...short.map(({ id, tests }) => `${id} promises ${tests} tests; ${tags.get(id) ?? 0} have its tag.`),
  ];
}
