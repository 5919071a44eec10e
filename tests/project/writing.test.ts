import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../scripts/set-up.mjs';

interface Prose {
  readonly line: number;
  readonly kind: 'comment' | 'title';
  readonly text: string;
}

const RULES: readonly [rule: string, pattern: RegExp][] = [
  [
    'begins with a relative clause',
    /(?:^|[.!?;:]\s+)(?:what|who|whose|whom|whether|which|how (?:far|often|many|much)|that|of|where|(?:who|what|which)ever)\b/i,
  ],
  ['says "answer" for return, respond or response', /\banswer/i],
  ['has a detached or stranded "of"', /[,;:] of (?!course)|\bof[,.;:]/i],
  [
    'has "so many" in place of a unit or a parameter',
    /(?:^|\b(?:at most|after|in|every|of|the first) )so (?:many|often)\b/i,
  ],
  [
    'uses a metaphor',
    /\b(?:dear|eras?|flights?|patience|for good|days? of trade|(?:gives?|gave|given|giving) (?:\w+ )?(?:back|way)|(?:puts?|putting) (?:[\w,]+ )*?down|takes? (?:\w+ )?ill)\b/i,
  ],
];
const MAX_TITLE = 100;
const MAX_PAGE_LINES = 400;

const TAGS = /(?: \[[A-Z]\d+(?:\.\d+)?\])+$/;
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^'"`()]*\))?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const LINE_COMMENTS: readonly [files: RegExp, comment: RegExp][] = [
  [/\.(?:[cm]?[jt]sx?)$/, /^(.*?)(?:^|\s)\/\/ (.*)$/],
  [/\.sql$/, /^(.*?)(?:^|\s)-- (.*)$/],
  [/(?:\.(?:sh|ya?ml|conf|service|sysusers)|file)$/i, /^(.*?)(?:^|\s)# (.*)$/],
];

/** Comments of a source file. Joins the lines of one comment; understands no strings beyond a quote before the mark. */
function commentsOf(file: string, source: string): Prose[] {
  const found: Prose[] = [];
  const add = (line: number, texts: readonly string[]) =>
    found.push({ line, kind: 'comment', text: texts.join(' ').replace(/\s+/g, ' ').trim() });
  const mark = LINE_COMMENTS.find(([files]) => files.test(file))?.[1];
  const hasBlocks = /\.(?:[cm]?[jt]sx?|css)$/.test(file);
  let block: { line: number; texts: string[]; isOpen: boolean } | undefined;
  const close = () => {
    if (block) add(block.line, block.texts);
    block = undefined;
  };
  source.split('\n').forEach((text, index) => {
    if (!block?.isOpen) {
      const [, before = '', after] = (hasBlocks && /^(.*?(?:^|[\s{(,]))\/\*\*?(.*)$/.exec(text)) || [];
      if (after !== undefined && !/['"`]/.test(before)) {
        close();
        block = { line: index + 1, texts: [after.replace(/\*\/.*/, '')], isOpen: !after.includes('*/') };
        if (!block.isOpen) close();
        return;
      }
      const [, code = '', comment] = mark?.exec(text) ?? [];
      if (comment === undefined || /['"`]$/.test(code.trim())) close();
      else if (code.trim() !== '') {
        close();
        add(index + 1, [comment]);
      } else {
        block ??= { line: index + 1, texts: [], isOpen: false };
        block.texts.push(comment);
      }
      return;
    }
    block.texts.push(text.replace(/\*\/.*/, '').replace(/^\s*\*? ?/, ''));
    if (text.includes('*/')) close();
  });
  close();
  return found;
}

/** Titles of the tests of a source file, without their tags. */
function titlesOf(source: string): Prose[] {
  return [...source.matchAll(TITLE)].map(({ 2: title = '', index }) => ({
    line: source.slice(0, index).split('\n').length,
    kind: 'title',
    text: title.replace(TAGS, ''),
  }));
}

/** The rules that a text breaks. Code between backticks may have any name. */
function faultsOf({ kind, text }: Pick<Prose, 'kind' | 'text'>): string[] {
  const words = text.replace(/`[^`]*`/g, '`code`');
  const broken = RULES.filter(([, pattern]) => pattern.test(words)).map(([rule]) => rule);
  if (kind === 'title' && text.length > MAX_TITLE) broken.push(`is longer than ${MAX_TITLE} characters`);
  return broken;
}

/** The faults of a source file, each with its place. */
function faultsOfFile(file: string, source: string): string[] {
  const isTest = /\.test\.tsx?$|^tests\/attack\//.test(file);
  return [...commentsOf(file, source), ...(isTest ? titlesOf(source) : [])].flatMap((prose) =>
    faultsOf(prose).map((fault) => `${file}:${prose.line}: the ${prose.kind} ${fault}: ${prose.text}`),
  );
}

describe('the rules of writing', () => {
  it.each([
    'Refuses a request that one client makes too many of, with the code the database has for that.',
    'Calls `tick` every so many milliseconds until stopped; by default a timer that keeps no process from ending.',
    'Two ways to the same number differ by less than this, of it or of one.',
    'Has the newest answer of a connection end it',
    'Nothing is done to get round a block; whoever blocks is left out.',
    'Tests are quick by sharing what is dear: a module is loaded once a worker, so no test may leave one changed',
  ])('find a fault in “%s”', (text) => {
    expect(faultsOf({ kind: 'comment', text })).not.toEqual([]);
  });

  it.each([
    'Responds 429 with PostgREST’s error body (code PT429).',
    'True if this source calls external, rate-limited providers.',
    'Calls `tick` every `intervalMs` until stopped. The default timer is unref’d: it does not keep the process alive.',
    'Deliveries count as stuck when none has completed for this long while mails were due.',
  ])('find no fault in “%s”', (text) => {
    expect(faultsOf({ kind: 'comment', text })).toEqual([]);
  });

  it('find faults in each kind of comment and in titles', () => {
    const source = [
      '/** Rows. Whether',
      ' * one is new. */',
      'const a = 1; // what a is',
      '// Two lines; of',
      '// which one ends.',
      "const address = 'http://a//what';",
      "it('whether it works [S1.1]', () => {});",
      `it.each([1])('${'x'.repeat(101)}', () => {});`,
      `it('${'x'.repeat(100)} [S1.1] [T2]', () => {});`,
    ].join('\n');
    expect(faultsOfFile('src/a.test.ts', source).map((fault) => fault.split(':')[1])).toEqual([
      '1',
      '3',
      '4',
      '4',
      '7',
      '8',
    ]);
    expect(faultsOfFile('a.sql', 'select 1; -- What\n')).toHaveLength(1);
    expect(faultsOfFile('a.css', '  /* Where it is. */\n')).toHaveLength(1);
    expect(faultsOfFile('a.yaml', '# Who\n')).toHaveLength(1);
  });
});

const FOLDERS = ['src', 'tests', 'bench', 'scripts', 'supabase', 'deploy'];
const SOURCES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.ts')),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  ),
].filter((file) => !/(?:^|\/)node_modules\//.test(file) && file !== 'tests/project/writing.test.ts');

it('comments and test titles keep the rules of writing', () => {
  expect(SOURCES.length).toBeGreaterThan(200);
  expect(SOURCES.flatMap((file) => faultsOfFile(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

it(`documents of more than ${MAX_PAGE_LINES} lines begin with a list of their contents`, () => {
  const long = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ name, lines: readFileSync(join(ROOT, 'docs', name), 'utf8').split('\n') }))
    .filter(({ lines }) => lines.length > MAX_PAGE_LINES);
  const isList = (line: string) => /^(?:#+ )?Contents\b/.test(line);
  expect(long.filter(({ lines }) => !lines.slice(0, 12).some(isList)).map(({ name }) => name)).toEqual([]);
});
