import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { outputOf } from '#tests/support/child-output.ts';
import {
  admittedPaths,
  commandOf,
  type Instruction,
  pathsOf,
  readStages,
} from '#tests/support/dockerfile.ts';
import { freePort } from '#tests/support/free-port.ts';
import { readYaml } from '#tests/support/yaml.ts';
import { installNode, npmScript } from '../scripts/programs.mjs';
import { type AtEnd, seconds, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';

const RECIPE = join('deploy', 'compose');
/** The id of the user `node` in the image. Only root can become another user. */
const USER = process.getuid?.() === 0 ? '1000:1000' : '0:0';
/** Folders of this machine that every container sees, in place of those of the base image. */
const BASE = ['usr', 'proc', 'dev'];
const PATH = '/opt/node/bin:/usr/bin:/bin';
/** Settings of this machine that npm needs to reach its registry. */
const FOR_NPM = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs)$/i;

/** A root folder for a stage, or for a container of the finished image. */
interface Container {
  readonly root: string;
  /** The folder of its programs. */
  cwd: string;
  user: string;
  readonly environment: Record<string, string>;
}

/**
 * Runs the steps of the container recipes without a container engine. Each stage of the Dockerfile has a root folder with
 * exactly the files that its COPY names, the programs of this machine, and the image's version of Node. The server of
 * one-server.yaml then starts in such a folder, which it cannot write to, with the settings of its file. Throws at the
 * first step that fails. `nginx.proof.test.ts` runs two servers over Postgres.
 */
export function benchImage(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    if (spawnSync('unshare', ['--mount', ...asRoot(), 'true']).status !== 0)
      throw new Error('This user may not mount folders. Run the benchmark on Linux as root.');
    const work = temporaryFolder(atEnd);
    // Let the user of the image reach its files.
    chmodSync(work, 0o755);
    const stages = readStages(readFileSync(join(RECIPE, 'Dockerfile'), 'utf8'));
    const context = makeContext(join(work, 'context'));
    const node = installForImage(stages, join(work, 'node'));
    const built = seconds();
    const image = buildStages(stages, context, node, work);
    const building = built();
    const last = stages.at(-1) ?? [];
    return [
      { what: 'building the image, with the packages from the registry', value: building, unit: 's' },
      { what: 'files that the image adds to Node', value: sizeOf(image.root) / 1e6, unit: 'MB' },
      ...(await runOneServer(image, last, join(work, 'one'), atEnd)),
    ];
  });
}

/** The flag that lets a user other than root mount folders, in a namespace of users. */
const asRoot = () => (process.getuid?.() === 0 ? [] : ['--map-root-user']);

/** The files that the engine would receive. */
function makeContext(folder: string): string {
  for (const path of admittedPaths(readFileSync(join(RECIPE, 'Dockerfile.dockerignore'), 'utf8')))
    cpSync(path, join(folder, path), { recursive: true });
  return folder;
}

/** Installs the image's version of Node, with this machine's npm. Returns its folder, as /usr/local has it in the image. */
function installForImage(stages: readonly Instruction[][], folder: string): string {
  const [, version = ''] = /^node:([\d.]+)-/.exec(stages[0]?.[0]?.rest ?? '') ?? [];
  const program = installNode(version, folder);
  if (program === undefined) throw new Error(`npm could not install Node ${version}.`);
  const npm = npmScript() ?? '';
  const made = join(folder, 'made');
  cpSync(program, join(made, 'bin', 'node'));
  cpSync(dirname(dirname(npm)), join(made, 'lib', 'node_modules', 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(made, 'bin', 'npm'));
  return made;
}

/** Runs the instructions of all stages. Returns the container of the last one. */
function buildStages(
  stages: readonly Instruction[][],
  context: string,
  node: string,
  work: string,
): Container {
  const roots: Record<string, string> = {};
  let container: Container | undefined;
  for (const [index, stage] of stages.entries()) {
    container = makeContainer(join(work, `stage-${index}`), node);
    const [, name = ''] = / AS (\w+)$/.exec(stage[0]?.rest ?? '') ?? [];
    roots[name] = container.root;
    for (const instruction of stage) follow(instruction, container, context, roots);
  }
  if (container === undefined) throw new Error('The Dockerfile has no stage.');
  return container;
}

/** A root folder with the users of the image, the certificates of this machine, and Node. */
function makeContainer(root: string, node: string): Container {
  for (const folder of [...BASE, 'etc', 'tmp', 'root', 'home/node'])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o777);
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder));
  const [id] = USER.split(':');
  writeFileSync(
    join(root, 'etc', 'passwd'),
    `root:x:0:0::/root:/bin/sh\nnode:x:${id}:${id}::/home/node:/bin/sh\n`,
  );
  writeFileSync(join(root, 'etc', 'group'), `root:x:0:\nnode:x:${id}:\n`);
  for (const file of ['resolv.conf', 'hosts', 'nsswitch.conf', 'ssl', 'ld.so.cache', 'alternatives'])
    if (existsSync(join('/etc', file)))
      cpSync(join('/etc', file), join(root, 'etc', file), { recursive: true, verbatimSymlinks: true });
  cpSync(node, join(root, 'opt', 'node'), { recursive: true, verbatimSymlinks: true });
  return { root, cwd: '/', user: '0:0', environment: {} };
}

/** Does what an instruction says. An instruction that the engine reads later changes nothing. */
function follow(
  instruction: Instruction,
  container: Container,
  context: string,
  roots: Record<string, string>,
): void {
  const { name, flags, rest } = instruction;
  switch (name) {
    case 'ENV':
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g))
        container.environment[key] = value;
      break;
    case 'WORKDIR':
      container.cwd = rest;
      mkdirSync(join(container.root, rest), { recursive: true });
      break;
    case 'USER':
      container.user = USER;
      break;
    case 'COPY':
      copy(instruction, container, flags.from === undefined ? context : (roots[flags.from] ?? ''));
      break;
    case 'RUN': {
      const { status, stderr } = runIn(container, commandOf(instruction));
      if (status !== 0) throw new Error(`RUN ${rest} ended with ${status}: ${stderr}`);
      break;
    }
    case 'FROM':
    case 'VOLUME':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'CMD':
      break;
    default:
      throw new Error(`${name} in the Dockerfile is unknown to this benchmark.`);
  }
}

/** Copies the content of folders, as COPY does. */
function copy(instruction: Instruction, container: Container, source: string): void {
  const { from, to } = pathsOf(instruction);
  const target = join(container.root, resolve(container.cwd, to));
  for (const path of from) {
    const isIntoFolder = to.endsWith('/') && !statSync(join(source, path)).isDirectory();
    cpSync(join(source, path), isIntoFolder ? join(target, basename(path)) : target, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

interface Limits {
  /** The folder of the container's /data. With it, the container can write only there and in /tmp. */
  readonly data?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** The program and the parameters that run a command in a container. */
function enter(
  { root, cwd, user, environment }: Container,
  command: readonly string[],
  { data, settings = {} }: Limits,
) {
  const script = [
    'set -e',
    'mount --bind "$ROOT" "$ROOT"',
    ...BASE.map((folder) => `mount --rbind /${folder} "$ROOT/${folder}"`),
    ...(data === undefined
      ? []
      : [
          'mount -t tmpfs tmpfs "$ROOT/tmp"',
          'mount --bind "$DATA" "$ROOT/data"',
          'mount -o remount,bind,ro "$ROOT"',
        ]),
    'exec chroot --userspec="$USER" "$ROOT" env --ignore-environment --chdir="$FOLDER" "$@"',
  ].join('\n');
  const fromHere = Object.entries(process.env).filter(([name]) => FOR_NPM.test(name));
  const variables = { PATH, HOME: '/tmp', ...Object.fromEntries(fromHere), ...environment, ...settings };
  return {
    program: 'unshare',
    parameters: [
      ...['--mount', ...asRoot(), 'sh', '-c', script, 'sh'],
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      ...command,
    ],
    env: {
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      ROOT: root,
      DATA: data ?? '',
      USER: user,
      FOLDER: cwd,
    },
  };
}

function runIn(container: Container, command: readonly string[], limits: Limits = {}) {
  const { program, parameters, env } = enter(container, command, limits);
  return spawnSync(program, parameters, { encoding: 'utf8', env });
}

interface Server {
  /** Seconds until the page had data. */
  readonly took: number;
  readonly url: string;
  readonly limits: Limits;
  readonly stop: () => Promise<void>;
}

/** Starts the image's server with the settings of a service. Waits until its health check passes and its page has data. */
async function startServer(
  image: Container,
  stage: readonly Instruction[],
  folder: string,
  settings: Readonly<Record<string, string>>,
  atEnd: AtEnd,
): Promise<Server> {
  const find = (name: string) => {
    const found = stage.find((instruction) => instruction.name === name);
    if (found === undefined) throw new Error(`The image has no ${name}.`);
    return commandOf(found);
  };
  // A new volume has the owner and the mode of the image's folder.
  mkdirSync(dirname(folder), { recursive: true });
  if (spawnSync('cp', ['-a', join(image.root, 'data'), folder]).status !== 0)
    throw new Error('The image has no folder /data.');
  const port = String(await freePort());
  const limits: Limits = { data: folder, settings: { ...settings, PORT: port } };
  const { program, parameters, env } = enter(image, find('CMD'), limits);
  const started = seconds();
  const child = spawn(program, parameters, { env });
  const ended = new Promise<number | null>((end) => child.once('close', end));
  const { output } = outputOf(child);
  atEnd(() => child.kill('SIGKILL'));
  while (runIn(image, find('HEALTHCHECK'), limits).status !== 0) {
    if (child.exitCode !== null) throw new Error(`The server ended: ${output()}`);
    await new Promise((next) => setTimeout(next, 500));
  }
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(url)).status === 503) await new Promise((next) => setTimeout(next, 500));
  const took = started();
  return {
    took,
    url,
    limits,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await ended;
      if (code !== 0) throw new Error(`The server ended with ${code} after SIGTERM: ${output()}`);
    },
  };
}

/** Throws if the page of a server has no data. */
async function checkPage(url: string): Promise<void> {
  const page = await (await fetch(url)).text();
  if (!page.includes('id="barometer-data"')) throw new Error(`The page at ${url} has no data: ${page}`);
}

interface Compose {
  readonly services: Record<
    string,
    { readonly environment?: Record<string, string>; readonly build?: object }
  >;
}

/** The value of a setting without an .env file: `${NAME:-default}` is its default. */
const withDefault = (value: string) => value.replace(/^\$\{\w+:-(.*)\}$/, '$1');

/** Starts the server of one-server.yaml, and runs `doctor` beside it as the documentation says. */
async function runOneServer(
  image: Container,
  stage: readonly Instruction[],
  folder: string,
  atEnd: AtEnd,
): Promise<Figure[]> {
  const { services } = readYaml<Compose>(join(RECIPE, 'one-server.yaml'));
  const settings = Object.entries(services.server?.environment ?? {}).map(([name, value]) => [
    name,
    withDefault(value),
  ]);
  const server = await startServer(image, stage, folder, Object.fromEntries(settings), atEnd);
  await checkPage(server.url);
  const doctor = runIn(image, ['node', 'dist/server/barometer.js', 'doctor'], server.limits);
  if (doctor.status !== 0)
    throw new Error(`doctor ended with ${doctor.status}: ${doctor.stdout}${doctor.stderr}`);
  await server.stop();
  return [{ what: 'one-server.yaml: first start, until the page has data', value: server.took, unit: 's' }];
}

/** Bytes of all files in the folders that the image adds. */
function sizeOf(root: string): number {
  const size = (path: string): number =>
    readdirSync(path, { withFileTypes: true })
      .map((entry) => {
        const inner = join(path, entry.name);
        if (entry.isDirectory()) return size(inner);
        return entry.isFile() ? statSync(inner).size : 0;
      })
      .reduce((sum, each) => sum + each, 0);
  return size(join(root, 'app'));
}
