import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleForNode } from '#tests/support/bundle.ts';
import { hasGit } from '#tests/support/debian.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { runCommand, startProduct, temporaryFolder } from '#tests/support/product.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';
import { NO_BROWSER, ROOT } from '../../scripts/set-up.mjs';

/** Only Linux can simulate another platform. */
const onLinux = describe.runIf(process.platform === 'linux');

const preload = shared(() => bundleForNode('tests/support/platform-child.ts'));

/** Settings that give a process the limits of another platform. */
const simulated = (platform: 'win32' | 'darwin') => ({
  SIMULATED_PLATFORM: platform,
  NODE_OPTIONS: `--import=${pathToFileURL(preload.program).href}`,
});

/** The environment of a machine without other programs in its PATH and without a network. */
const ALONE = {
  PATH: '/missing',
  HOME: process.env.HOME,
  TEMP: tmpdir(),
  npm_config_registry: 'http://127.0.0.1:1',
};

/** Runs a program with the limits of a platform. */
function runOn(platform: 'win32' | 'darwin', parameters: readonly string[], settings = {}, input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, {
    encoding: 'utf8',
    input,
    env: { ...ALONE, ...simulated(platform), ...settings },
  });
  return { status, output: `${stdout}${stderr}` };
}

onLinux('a simulated Windows', () => {
  const attempts = [
    ['a command of npm', `processes.spawnSync('npm').error.code`, 'ENOENT'],
    ['a script', `processes.spawnSync('${ROOT}/.ci/run').error.code`, 'ENOENT'],
    ['a shell', `processes.spawnSync('true', { shell: true })`, 'ENOENT'],
    ['a flush of a folder', `fs.fsyncSync(fs.openSync('.'))`, 'EPERM'],
    ['a flush of an open folder', `fs.promises.open('.').then((folder) => folder.sync())`, 'EPERM'],
    ['a flush of a file that is open for reading', `fs.fsyncSync(fs.openSync('package.json'))`, 'EPERM'],
    ['a socket in a folder', `net.createServer().listen('socket')`, 'EACCES'],
  ] as const;

  it.each(attempts)('refuses %s', (_, attempt, code) => {
    const program = `
      const [processes, fs, net] = ['child_process', 'fs', 'net'].map(require);
      Promise.resolve().then(() => ${attempt}).then(console.log, ({ code }) => console.log(code));`;
    expect(runOn('win32', ['-e', program]).output).toBe(`${code}\n`);
  });
});

/** A project with the scripts of this one, and packages that only record that they ran. */
function makeProject(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const root = folder.path;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  cpSync(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true });
  const program = `console.log(process.argv.slice(2).join(' '));`;
  const sources: Record<string, string> = {
    vite: `import { mkdirSync, writeFileSync } from 'node:fs';
      export function build({ configFile }) {
        const folder = configFile.replace(/vite\\.(server\\.)?config\\.ts$/, (_, server) => server ? 'dist/server' : 'dist/client');
        mkdirSync(folder, { recursive: true });
        writeFileSync(folder + '/barometer.js', ${JSON.stringify(`console.log('ran', process.argv[2]);`)});
      }`,
    vitest: `import { writeFileSync } from 'node:fs';
      const [, file] = process.argv.join('\\n').match(/--outputFile=(.+)/);
      writeFileSync(file, '{"numPassedTests":1,"testResults":[]}');
      ${program}`,
    '@biomejs/biome': program,
    typescript: program,
    knip: program,
  };
  const bins: Record<string, string> = { '@biomejs/biome': 'biome', typescript: 'tsc' };
  const packages: Record<string, object> = {};
  const devDependencies: Record<string, string> = {};
  for (const [name, source] of Object.entries(sources)) {
    const manifest = {
      name,
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      bin: { [bins[name] ?? name]: 'index.js' },
    };
    write(`packages/${name}/package.json`, JSON.stringify(manifest));
    write(`packages/${name}/index.js`, source);
    devDependencies[name] = `file:packages/${name}`;
    packages[`packages/${name}`] = { ...manifest, dev: true };
    packages[`node_modules/${name}`] = { resolved: `packages/${name}`, link: true };
  }
  const project = { name: 'project', version: '1.0.0', devDependencies };
  write('package.json', JSON.stringify({ ...project, type: 'module' }));
  write(
    'package-lock.json',
    JSON.stringify({
      ...project,
      lockfileVersion: 3,
      requires: true,
      packages: { '': project, ...packages },
    }),
  );
  return root;
}

onLinux('a fresh clone on simulated Windows', () => {
  it('is installed, built, started and tested', () => {
    const root = makeProject();
    const started = runOn('win32', [join(root, 'scripts', 'start.mjs')]);
    expect(started).toMatchObject({ status: 0, output: expect.stringContaining('ran serve\n') });
    const tested = runOn('win32', [join(root, 'scripts', 'test.mjs')]);
    for (const part of [
      'run --project=unit --project=parts',
      'biome: passed\ntsc: passed\nknip: passed',
      `skipped: tests/e2e and tests/attack. ${NO_BROWSER}\n5 passed, 0 failed\n`,
    ])
      expect(tested.output).toContain(part);
    expect(tested.status).toBe(0);
  });

  it('fails in CI without a browser', () => {
    const { status, output } = runOn('win32', [join(ROOT, 'scripts', 'test.mjs')], { CI: 'true' });
    expect([status, output]).toEqual([1, `${NO_BROWSER}\n`]);
  });
});

onLinux('a database on simulated Windows', () => {
  const data = folderForTests();

  it('is created for a run, and exported into an archive', async () => {
    const folder = join(data, 'new');
    const settings = { BAROMETER_DATA_DIR: folder, ...simulated('win32') };
    const archive = join(data, 'archive');
    expect(await runCommand(['collect'], settings)).toMatchObject({ code: 0 });
    expect(await runCommand(['export', archive], settings)).toMatchObject({ code: 0 });
    expect(existsSync(archive)).toBe(true);
    expect(readdirSync(folder)).toEqual(['database']);
  });

  it('is shared by the server with commands', async () => {
    const folder = join(data, 'demonstration');
    await copyDemonstration(folder);
    // There are no users to change to.
    execFileSync('chown', ['-R', `${process.getuid?.()}:${process.getgid?.()}`, folder]);
    const settings = { BAROMETER_DATA_DIR: folder, ...simulated('win32') };
    const server = await startProduct(folder, settings);
    onTestFinished(() => server.stop());
    expect(await (await fetch(server.url)).text()).toContain('barometer-data');
    expect(await runCommand(['subscribers', 'export'], settings)).toMatchObject({ code: 0 });
  });

  it('has a Postgres on loopback, which ends with the last process', async () => {
    const folder = join(data, 'demonstration');
    const pid = join(folder, 'database', 'data', 'postmaster.pid');
    const server = await startProduct(folder, { BAROMETER_DATA_DIR: folder, ...simulated('win32') });
    expect(readFileSync(pid, 'utf8').split('\n')[5]).toBe('127.0.0.1');
    await server.stop();
    expect(existsSync(pid)).toBe(false);
  });
});

describe.runIf(hasGit())('a checkout on Windows', () => {
  it('has the line ends that the linter requires in every file', () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const git = (tree: string, ...parameters: readonly string[]) =>
      execFileSync('git', ['-c', 'core.autocrlf=true', '-c', 'core.safecrlf=false', ...parameters], {
        cwd: tree,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, GIT_DIR: join(folder.path, '.git'), GIT_WORK_TREE: tree },
      });
    const checkout = join(folder.path, 'checkout');
    mkdirSync(checkout);
    git(ROOT, 'init', '--quiet');
    git(ROOT, 'add', '--all');
    git(checkout, 'checkout-index', '--all');
    const files = git(checkout, 'ls-files', '--eol').trimEnd().split('\n');
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => !/ w\/(lf|none|-text) /.test(file))).toEqual([]);
  });
});
