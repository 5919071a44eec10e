import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForTests } from '#tests/support/shared.ts';
import { npmCommand, npmScript, packageCommand } from '../../scripts/programs.mjs';
import { ROOT, withoutServices } from '../../scripts/set-up.mjs';

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

describe.skipIf(process.platform === 'win32')('the installation of Debian packages', () => {
  const folder = folderForTests();
  const policy = join(folder, 'policy-rc.d');

  it('refuses to start services, as 101 means to Debian, until it ends', () => {
    expect(withoutServices(() => spawnSync(policy).status, policy)).toBe(101);
    expect(existsSync(policy)).toBe(false);
  });

  it('starts services again after an error', () => {
    const fail = () => {
      throw new Error('no packages');
    };
    expect(() => withoutServices(fail, policy)).toThrow('no packages');
    expect(existsSync(policy)).toBe(false);
  });

  it('follows the policy that the machine has', () => {
    writeFileSync(policy, '#!/bin/sh\nexit 7\n', { mode: 0o755 });
    expect(withoutServices(() => spawnSync(policy).status, policy)).toBe(7);
    expect(existsSync(policy)).toBe(true);
  });
});
