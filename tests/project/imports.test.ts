import { readdirSync, readFileSync } from 'node:fs';
import { posix, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';

const IMPORT = /(?:from|import)\s+'([#.][^'?]+)/g;
/** Maximum number of files in a chain of imports. */
const LONGEST_CHAIN = 20;

/** The files that each file imports, without tests. */
function readImports(): Map<string, string[]> {
  const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.split(sep).join('/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  const known = new Set(files);
  const imported = (file: string) =>
    [...readFileSync(`${ROOT}/${file}`, 'utf8').matchAll(IMPORT)]
      .map(([, path = '']) =>
        path.startsWith('#') ? `src/${path.slice(1)}` : posix.join(posix.dirname(file), path),
      )
      .filter((path) => known.has(path));
  return new Map(files.map((file) => [file, imported(file)]));
}

const imports = readImports();

/** Returns the longest chain of imports that begins with a file. Ignores an import that closes a circle. */
function chainFrom(file: string, chains: Map<string, string[]>): string[] {
  const known = chains.get(file);
  if (known !== undefined) return known;
  chains.set(file, []);
  const longest = (imports.get(file) ?? [])
    .map((next) => chainFrom(next, chains))
    .reduce((best, chain) => (chain.length > best.length ? chain : best), []);
  const chain = [file, ...longest];
  chains.set(file, chain);
  return chain;
}

describe('imports below src', () => {
  it('go one way between two folders, except between the panels of the page', () => {
    const ways = new Set<string>();
    for (const [file, files] of imports) {
      for (const other of files) ways.add(`${posix.dirname(file)} + ${posix.dirname(other)}`);
    }
    const isBothWays = (way: string) => {
      const [from = '', to = ''] = way.split(' + ');
      return from < to && !from.startsWith('src/web/panels') && ways.has(`${to} + ${from}`);
    };
    expect([...ways].filter(isBothWays)).toEqual([]);
  });

  it('do not form long chains', () => {
    const chains = new Map<string, string[]>();
    for (const file of imports.keys()) chainFrom(file, chains);
    const longest = [...chains.values()].reduce((best, chain) => (chain.length > best.length ? chain : best));
    expect(longest.length, longest.join('\n')).toBeLessThanOrEqual(LONGEST_CHAIN);
  });

  it('finds no two files with the same name', () => {
    const names = [...imports.keys()].map((file) => posix.basename(file));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});
