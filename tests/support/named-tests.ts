import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';

export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

const TEST = /`([^`]+\.tsx?)` › ([^<|]+)/g;

/** The tests that a document names, as `file` › title. */
export function namedTests(markdown: string): NamedTest[] {
  return [...markdown.matchAll(TEST)].map(([, file = '', title = '']) => ({ file, title: title.trim() }));
}

const sources = new Map<string, string>();

/** The source of a test file; empty when there is none. */
function sourceOf(file: string): string {
  const path = join(ROOT, file);
  const known = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  sources.set(file, known);
  return known;
}

/** Whether a test file has a test of that title, as written there, and does not skip it. */
export function hasTest({ file, title }: NamedTest): boolean {
  const source = sourceOf(file).replaceAll("\\'", "'");
  const quoted = [`'${title}'`, `"${title}"`, `\`${title}\``].map((text) => source.indexOf(text));
  const at = Math.max(...quoted);
  return at >= 0 && !/\.(skip|todo|only)\W[^'"`]*$/.test(source.slice(Math.max(0, at - 200), at));
}
