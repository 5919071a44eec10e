import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { documentedDefaults } from '#tests/support/documented-settings.ts';
import { smallMarket } from '#tests/support/market-folder.ts';
import { PROGRAM, runCommand, temporaryFolder } from '#tests/support/product.ts';
import { DEFAULT_SYMBOLS, parseSymbols } from '#web/panels/widgets/symbols.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { readEnvironment } from '../../src/cli/settings/environment.ts';

const PAGES = ['.', 'docs', 'docs/maintainers', 'docs/maintainers/decisions', 'deploy'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
/** The pages whose snippets need a server; `elsewhere.test.ts` runs them. */
const OF_A_SERVER = ['docs/api.md', 'docs/elsewhere.md'];
const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

describe('.env.example', () => {
  const defaults = documentedDefaults();

  it.each(defaults)('names the default of $name', ({ name, value }) => {
    const environment = readEnvironment({ [name]: value });
    // `isMarketSourceSet` and `widgetSymbols` also show if the setting was set, so they are not compared.
    expect({ ...environment, isMarketSourceSet: false, widgetSymbols: null }).toEqual(readEnvironment({}));
  });

  it('names the default symbols of the price chart', () => {
    const setting = defaults.find(({ name }) => name === 'WIDGET_SYMBOLS');
    expect(parseSymbols(setting?.value ?? '')).toEqual(DEFAULT_SYMBOLS);
  });
});

/** The anchors of a page's headings, as GitHub makes them: a repeated one gets `-1`. */
function anchorsOf(text: string): string[] {
  const anchors: string[] = [];
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    anchors.push(anchors.includes(anchor) ? `${anchor}-1` : anchor);
  }
  return anchors;
}

const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');

it.each(PAGES)('every link of %s leads to a file and a heading', (page) => {
  const links = [
    ...withoutCode(textOf(page)).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
  ];
  const broken = links.flatMap(([, path = '', anchor]) => {
    const target = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
    if (!existsSync(target)) return [path];
    const isThere = anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
    return isThere ? [] : [`${relative(ROOT, target)}#${anchor}`];
  });
  expect(broken).toEqual([]);
});

/** A file or folder of the repository between backticks. Worked examples mark files that do not exist yet with "(new)". */
const REPOSITORY_PATH = /`((?:src|tests|bench|scripts|deploy|supabase|docs)\/[\w./-]*)`/g;
/** A file of a room, such as `domain/readings/market-readings.ts`. */
const ROOM_PATH = /`((?!(?:src|tests|bench|scripts)\/)[\w-]+\/[\w./-]+\.tsx?)`/g;
const ROOM_FILES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });

it.each(PAGES)('every path in %s exists', (page) => {
  const lines = textOf(page)
    .split('\n')
    .filter((line) => !line.includes('(new)'));
  const paths = lines.flatMap((line) => [...line.matchAll(REPOSITORY_PATH)].map(([, path = '']) => path));
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const files = lines.flatMap((line) => [...line.matchAll(ROOM_PATH)].map(([, path = '']) => path));
  expect(files.filter((path) => !ROOM_FILES.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([]);
});

/**
 * Runs `npm run barometer -- …` and refuses everything else. Accepts exit code 1 of `doctor`: it finds faults that depend
 * on the date.
 */
const NPM = `#!/bin/sh
[ "$1 $2 $3" = "run barometer --" ] || exit 97
shift 3
"$NODE" "$PROGRAM" "$@" || [ $? = 1 -a "$1" = doctor ]
`;

describe('commands in the documentation', () => {
  it('exist', async () => {
    const { stdout } = await runCommand(['--help']);
    const scripts: object = JSON.parse(textOf('package.json')).scripts;
    const unknown = PAGES.flatMap((page) => {
      const text = textOf(page);
      const commands = [
        ...text.matchAll(/(?:run barometer --|server\/barometer\.js) ((?:signal |subscribers )?[a-z-]+)/g),
      ]
        .map(([, command = '']) => command)
        .filter((command) => !command.startsWith('-') && !stdout.includes(`\n  ${command} `));
      const names = [...text.matchAll(/npm run ([a-z-]+)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !(name in scripts));
      return [...commands, ...names].map((name) => `${page}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it('run here or have a comment with the reason why not', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const npm = join(folder.path, 'bin', 'npm');
    mkdirSync(dirname(npm));
    writeFileSync(npm, NPM);
    chmodSync(npm, 0o755);
    const failed: string[] = [];
    let count = 0;
    for (const page of PAGES.filter((path) => !OF_A_SERVER.includes(path))) {
      const blocks = [
        ...textOf(page).matchAll(/(<!-- not run in tests: .+ -->\n)?^```(?:sh|bash|shell)\n(.*?)^```$/gms),
      ]
        .filter(([, reason]) => reason === undefined)
        .map(([, , script = '']) => script);
      if (blocks.length === 0) continue;
      const cwd = join(folder.path, page.replaceAll('/', '-'));
      await copyDemonstration(join(cwd, '.barometer'));
      mkdirSync(join(cwd, 'market'));
      for (const [name, text] of Object.entries(smallMarket('2025-01-02', '2026-11-20')))
        writeFileSync(join(cwd, 'market', name), text);
      count += blocks.length;
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', blocks.join('\n')], {
        cwd,
        encoding: 'utf8',
        env: {
          PATH: `${dirname(npm)}:${process.env.PATH}`,
          HOME: process.env.HOME,
          NODE: process.execPath,
          PROGRAM,
          NODE_OPTIONS: '',
        },
      });
      if (status !== 0) failed.push(`${page} (${status}): ${stdout}${stderr}`);
    }
    expect(failed).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(3);
  });
});
