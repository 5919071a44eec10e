import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { npmCommand, npmScript, packageCommand } from '../../scripts/programs.mjs';
import { ROOT } from '../../scripts/set-up.mjs';
import { temporaryFolder } from '../support/product.ts';

const versionOf = ([program = '', ...script]: readonly string[]) =>
  spawnSync(program, [...script, '--version'], { encoding: 'utf8', shell: false });

describe('npm', () => {
  const isIn =
    (...paths: readonly string[]) =>
    (path: string) =>
      paths.includes(path);

  it('is the script that npm names to the scripts it runs', () => {
    const named = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js';
    expect(npmScript({ environment: { npm_execpath: named }, isThere: isIn(named) })).toBe(named);
  });

  it('is found beside Node, as on Windows', () => {
    const script = join('/nodejs', 'node_modules', 'npm', 'bin', 'npm-cli.js');
    expect(npmScript({ environment: {}, node: join('/nodejs', 'node.exe'), isThere: isIn(script) })).toBe(
      script,
    );
  });

  it('is found in the folder of libraries, as on macOS and Linux', () => {
    const script = '/opt/node/lib/node_modules/npm/bin/npm-cli.js';
    expect(npmScript({ environment: {}, node: '/opt/node/bin/node', isThere: isIn(script) })).toBe(script);
  });

  it('is not the script of another package manager', () => {
    const yarn = '/usr/share/yarn/bin/yarn.js';
    expect(npmScript({ environment: { npm_execpath: yarn }, isThere: isIn(yarn) })).toBeUndefined();
  });

  it('is its command without a script', () => {
    expect(npmCommand({ environment: {}, isThere: () => false })).toEqual(['npm']);
  });

  it('starts without a shell', () => {
    expect(versionOf(npmCommand()).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('the program of a package', () => {
  it.each([
    ['@biomejs/biome', 'biome'],
    ['typescript', 'tsc'],
    ['knip', 'knip'],
    ['vitest', 'vitest'],
  ])('%s starts without a shell', (name, program) => {
    const command = packageCommand(ROOT, name, program);
    expect(command[0]).toBe(process.execPath);
    expect(versionOf(command)).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d+\.\d+/) });
  });
});

describe('a checkout on Windows', () => {
  it('keeps the line ends that the linter requires', () => {
    const folder = temporaryFolder();
    const git = (...parameters: readonly string[]) =>
      execFileSync('git', ['-c', 'core.autocrlf=true', ...parameters], { cwd: folder.path });
    git('init', '--quiet');
    copyFileSync(join(ROOT, '.gitattributes'), join(folder.path, '.gitattributes'));
    const file = join(folder.path, 'lines.ts');
    writeFileSync(file, 'one;\ntwo;\n');
    git('add', '.');
    rmSync(file);
    git('checkout', '--', 'lines.ts');
    expect(readFileSync(file, 'utf8')).toBe('one;\ntwo;\n');
    folder.remove();
  });
});
