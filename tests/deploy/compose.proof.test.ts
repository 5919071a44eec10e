import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { outputOf } from '#tests/support/child-output.ts';
import { hasPsql, hasYaml } from '#tests/support/debian.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import {
  admittedPaths,
  commandOf,
  type Instruction,
  pathsOf,
  readStages,
} from '#tests/support/dockerfile.ts';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { freePort } from '#tests/support/free-port.ts';
import { addressFor } from '#tests/support/hosted-project.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { temporaryFolder } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { readYaml as readYamlFile } from '#tests/support/yaml.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const FOLDER = join(ROOT, 'deploy', 'compose');
const readYaml = <Content>(path: string) => readYamlFile<Content>(join(ROOT, path));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const stages = readStages(read('deploy/compose/Dockerfile'));
const image = stages.at(-1) ?? [];
const COMMANDS = /^## Compose$.*?^## /ms.exec(read('deploy/README.md'))?.[0] ?? '';
const of = (stage: readonly Instruction[], name: string) =>
  stage.filter((instruction) => instruction.name === name);
const NAMES = stages.map(([from]) => / AS (\w+)$/.exec(from?.rest ?? '')?.[1]);

describe('the Dockerfile', () => {
  it('starts each stage from the newer version of Node that the project is tested on', () => {
    const bases = new Set(stages.map(([from]) => from?.rest.split(' ')[0]));
    expect(bases.size).toBe(1);
    const [, major = ''] = /^node:(\d+)\.\d+\.\d+-bookworm-slim$/.exec([...bases].join()) ?? [];
    expect(read('scripts/node-versions.mjs')).toMatch(new RegExp(`const TESTED = \\['${major}',`));
  });

  it('copies only existing files that .dockerignore admits', () => {
    const copied = stages
      .flatMap((stage) => of(stage, 'COPY'))
      .filter(({ flags }) => flags.from === undefined)
      .flatMap((copy) => pathsOf(copy).from);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const admitted = admittedPaths(read('deploy/compose/Dockerfile.dockerignore'));
    const isAdmitted = (path: string) =>
      admitted.some((folder) => path === folder || path.startsWith(`${folder}/`));
    expect(copied.filter((path) => !isAdmitted(path))).toEqual([]);
    expect(admitted.filter((path) => !copied.includes(path))).toEqual([]);
  });

  it('copies from existing stages and runs programs without a shell', () => {
    for (const { flags } of stages.flatMap((stage) => of(stage, 'COPY'))) {
      if (flags.from !== undefined) expect(NAMES).toContain(flags.from);
    }
    const commands = stages.flatMap((stage) => [...of(stage, 'RUN'), ...of(stage, 'CMD')]);
    expect(commands.filter(({ rest }) => !Array.isArray(JSON.parse(rest)))).toEqual([]);
  });

  it('has known settings and a user other than root', () => {
    const [{ rest = '' } = {}] = of(image, 'ENV');
    const named = [...rest.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !['NODE_ENV', ...documentedSettings()].includes(name))).toEqual([]);
    expect(of(image, 'USER').map((user) => user.rest)).toEqual(['node']);
    const names = image.map(({ name }) => name);
    expect(names.indexOf('CMD')).toBeGreaterThan(names.lastIndexOf('USER'));
  });

  describe('the server with its files laid out as in the image', () => {
    const app = folderForTests();
    const data = folderForTests();
    const restored = folderForTests();
    const from: Record<string, (to: string) => void> = {
      build: (to) => cpSync(join(ROOT, 'dist'), to, { recursive: true }),
      packages: (to) => symlinkSync(join(ROOT, 'node_modules'), to),
    };

    beforeAll(async () => {
      for (const copy of of(image, 'COPY')) {
        const { from: sources, to } = pathsOf(copy);
        const place = join(app, to);
        mkdirSync(dirname(place), { recursive: true });
        const take = from[copy.flags.from ?? ''];
        if (take !== undefined) take(place);
        else for (const source of sources) cpSync(join(ROOT, source), join(app, source), { recursive: true });
      }
      await copyDemonstration(data);
    });

    it('has every file that a command reads', () => {
      const looked = [...read('src/cli/paths.ts').matchAll(/new URL\('([^']+)'/g)].map(
        ([, path = '']) => path,
      );
      expect(looked.length).toBeGreaterThan(5);
      const missing = looked.filter((path) => !existsSync(join(app, 'dist', 'server', path)));
      expect(missing).toEqual([]);
    });

    it('has its data back after the documented backup and restore', async () => {
      const [backUp, restore] = [...COMMANDS.matchAll(/ sh -c '(.*)'/g)].map(([, script]) => script);
      const perform = (script: string | undefined, folder: string, input = Buffer.of()) => {
        const [command = ''] = [script?.replaceAll('/data', folder)];
        return spawnSync('sh', ['-c', command], {
          ...{ cwd: app, input, maxBuffer: 1 << 28 },
          env: { PATH: process.env.PATH ?? '', BAROMETER_DATA_DIR: folder },
        });
      };
      const { status, stdout, stderr } = perform(backUp, data);
      expect([status, String(stderr)]).toEqual([0, expect.stringMatching(/^exporting.*\nExported /s)]);
      const { stdout: report, status: code } = perform(restore, restored, stdout);
      expect([code, String(report)]).toEqual([0, expect.stringMatching(/^Imported 1[\d,]+ rows of /)]);
      expect([existsSync(join(data, 'copy')), existsSync(join(restored, 'copy'))]).toEqual([false, false]);
    });

    it('starts the server, whose state the health check reports', async () => {
      const [checks = [], command = []] = ['HEALTHCHECK', 'CMD'].map((name) =>
        of(image, name).flatMap(commandOf),
      );
      const port = String(await freePort());
      const environment = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: port };
      const isHealthy = () => {
        const [program = '', ...parameters] = checks;
        return spawnSync(program, parameters, { cwd: app, env: environment }).status;
      };
      expect(isHealthy()).toBe(1);
      const [program = '', ...parameters] = command;
      const server = spawn(program, parameters, {
        cwd: app,
        env: { ...environment, BAROMETER_DATA_DIR: data },
      });
      const ended = once(server, 'close');
      onTestFinished(() => void server.kill('SIGKILL'));
      const { output } = outputOf(server);
      // Waits for the address instead of repeating the health check, each of which starts Node.
      await expect.poll(output).toContain(`:${port}`);
      expect(isHealthy()).toBe(0);
      server.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    });
  });
});

it('the documented commands name services, and restore the backup that they make', () => {
  const parameters = COMMANDS.matchAll(
    /docker compose (?:exec|run|stop|start)((?: (?:--env \S+|-\S+))*)(.*)/g,
  );
  const named = [...parameters].map(([, , rest = '']) => /^( server(-[12])?)+|^ postgres/.exec(rest)?.[0]);
  expect(named).not.toContain(undefined);
  expect(COMMANDS).toMatch(/ pg_dump --username=postgres --format=custom barometer > barometer\.dump/);
  expect(COMMANDS).toMatch(/ pg_restore --username=postgres --clean --create .*< barometer\.dump\n/);
});

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  env_file?: { path: string; required: boolean }[];
  profiles?: string[];
  volumes?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt: string[];
  tmpfs?: string[];
  logging: { driver: string };
  stop_grace_period?: string;
  networks?: { default: { ipv4_address: string } };
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
}

describe.runIf(hasYaml())('the compose file of one server', () => {
  const path = 'deploy/compose/one-server.yaml';

  it('starts without a certificate, a changed file or settings', () => {
    const { services, volumes } = readYaml<Compose>(path);
    const { server, caddy } = services;
    expect(server?.env_file).toEqual([{ path: '.env', required: false }]);
    expect(server?.ports).toEqual(['127.0.0.1:4321:4321']);
    expect(server).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['data:/data'] });
    expect(caddy?.profiles).toEqual(['https']);
    expect(Object.keys(volumes)).toEqual(['data', 'caddy']);
    // Every variable in the file has a default value.
    expect(read(path)).not.toMatch(/\$\{\w+(?!\w*:-)/);
  });

  it('trusts the address of its proxy only', () => {
    const { server, caddy } = readYaml<Compose>(path).services;
    expect(server?.environment?.TRUSTED_PROXIES).toBe(caddy?.networks?.default.ipv4_address);
  });
});

interface Workflow {
  permissions: Record<string, string>;
  jobs: Record<string, { steps: { uses?: string; run?: string; with?: Record<string, string> }[] }>;
}

describe.runIf(hasYaml())('the workflows of a hosted CI', () => {
  const check = () => readYaml<Workflow>('.github/workflows/check.yaml');
  const release = () => readYaml<Workflow>('.github/workflows/release.yaml');

  it('run existing commands', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = Object.values(check().jobs).flatMap(({ steps }) =>
      steps.flatMap(({ run }) => (run === undefined ? [] : [run])),
    );
    const named = commands.flatMap((run) => /^npm (?:run )?([\w-]+)$/.exec(run)?.[1] ?? []);
    expect(named).toEqual(['test', 'proofs', 'node-versions']);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(commands.filter((run) => run.startsWith('.') && !existsSync(join(ROOT, run)))).toEqual([]);
  });

  it('name exact versions of actions', () => {
    const used = [check(), release()].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? [])),
    );
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((action) => !/@v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it('sign the digest of the image, whose name is in lower case', () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const cosign = join(folder.path, 'cosign');
    writeFileSync(cosign, '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const file = join(folder.path, 'environment');
    const steps = release().jobs.image?.steps.flatMap(({ run }) => run ?? []) ?? [];
    // A hosted runner reads the file into the environment before each step.
    const script = steps.map((step) => `set -a; . ${file}; set +a; ${step}`).join('\n');
    writeFileSync(file, '');
    const { stdout } = spawnSync('bash', ['-e', '-c', script], {
      encoding: 'utf8',
      env: {
        PATH: `${folder.path}:${process.env.PATH}`,
        GITHUB_ENV: file,
        GITHUB_REPOSITORY: 'Owner/Barometer',
        DIGEST: 'sha256:0',
      },
    });
    expect(stdout).toBe('sign --yes ghcr.io/owner/barometer@sha256:0\n');
  });

  it('build the image of the Dockerfile, and may write nothing else', () => {
    const { permissions, jobs } = release();
    const build = jobs.image?.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(existsSync(join(ROOT, build?.with?.file ?? ''))).toBe(true);
    expect(permissions).toEqual({ contents: 'read', packages: 'write', 'id-token': 'write' });
    expect(check().permissions).toEqual({ contents: 'read' });
  });
});

describe.runIf(hasYaml())('the compose file', () => {
  const text = read('deploy/compose/compose.yaml');
  let services: Compose['services'];
  let volumes: Compose['volumes'];
  let networks: Compose['networks'];
  let all: [string, Service][];
  let servers: [string, Service][];

  beforeAll(() => {
    ({ services, volumes, networks } = readYaml<Compose>('deploy/compose/compose.yaml'));
    all = Object.entries(services);
    servers = all.filter(([, { build }]) => build !== undefined);
  });

  it('has two servers of that image, with settings that exist', () => {
    expect(servers.map(([name]) => name)).toEqual(['server-1', 'server-2']);
    for (const [, { build, environment = {} }] of servers) {
      expect(existsSync(join(FOLDER, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
      expect(Object.keys(environment).filter((name) => !documentedSettings().includes(name))).toEqual([]);
      expect(environment.TRUSTED_PROXIES).toBe(networks.default.ipam.config[0]?.subnet);
    }
    expect(new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))).toEqual(
      new Set(['POSTGRES_PASSWORD', 'BAROMETER_PASSWORD']),
    );
  });

  it('lets containers write only their data, without privileges', () => {
    for (const [, service] of servers) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(60 + 15);
    }
    const data = servers.map(([, service]) => service.volumes);
    expect(data).toEqual([['data-1:/data'], ['data-2:/data']]);
    for (const [, { security_opt, logging }] of all) {
      expect(security_opt).toEqual(['no-new-privileges:true']);
      // Docker's default log has no limit.
      expect(logging).toEqual({ driver: 'local' });
    }
  });

  it.runIf(hasPsql())(
    'gives the servers a role that is no superuser and suffices for all their statements',
    async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      const made = spawnSync(
        'psql',
        ['--no-psqlrc', '--set=ON_ERROR_STOP=1', '--quiet', '--file=database.sql', postgres.url],
        { cwd: FOLDER, env: { PATH: process.env.PATH ?? '', BAROMETER_PASSWORD: "a'b" }, encoding: 'utf8' },
      );
      expect([made.status, made.stderr]).toEqual([0, '']);
      const given = servers[0]?.[1].environment?.DATABASE_URL ?? '';
      const { username, pathname } = new URL(given.replace(/\$\{[^}]+\}/, 'password'));
      const url = new URL(pathname, addressFor(postgres.url, username));
      const database = await openPostgres({ url: url.href, migrationsFolder: MIGRATIONS });
      onTestFinished(() => database.close());
      const isSuper = 'select rolname, rolsuper from pg_roles where rolname = current_user';
      const rows = await queryOnce(database, isSuper);
      expect(rows).toEqual([{ rolname: username, rolsuper: false }]);
    },
  );

  it('names existing versions, files, volumes and services', () => {
    for (const [name, service] of all) {
      if (service.build === undefined)
        expect([name, service.image]).toEqual([name, expect.stringMatching(/:\d+\.\d+/)]);
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        const isMade = source === './certificates' && text.includes('mkdir certificates');
        const isThere = source.startsWith('.') ? existsSync(join(FOLDER, source)) : source in volumes;
        expect([source, isThere || isMade]).toEqual([source, true]);
      }
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        const { healthcheck, build } = services[other] ?? {};
        expect([other, condition, Boolean(healthcheck ?? build)]).toEqual([other, 'service_healthy', true]);
      }
    }
  });

  it('mounts every file that nginx reads and a folder for every file that it writes', () => {
    const { volumes: mounts = [], tmpfs = [], read_only } = services.nginx as Service;
    expect(read_only).toBe(true);
    const mounted = mounts.map((mount) => mount.split(':') as [string, string]);
    const places = mounted.map(([, place]) => place);
    const files = mounted.filter(([source]) => source.endsWith('.conf'));
    const config = files.map(([source]) => readFileSync(join(FOLDER, source), 'utf8')).join('\n');
    const named = (directive: string) =>
      [...config.matchAll(new RegExp(`^\\s*(?:${directive}) (/[^ ;]+)`, 'gm'))].map(([, path = '']) => path);
    const isBelow = (folders: readonly string[]) => (path: string) =>
      folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

    const reads = named('include|ssl_certificate|ssl_certificate_key');
    expect(reads.length).toBeGreaterThan(5);
    expect(reads.filter((path) => !isBelow(places)(path))).toEqual([]);
    const writes = named('access_log|error_log|proxy_cache_path');
    expect(writes).toHaveLength(3);
    expect(writes.filter((path) => !isBelow([...tmpfs, '/dev'])(path))).toEqual([]);
  });

  it('publishes only the ports of nginx, which resolves the servers by name', () => {
    const published = all.filter(([, { ports = [] }]) => ports.length > 0);
    expect(published.map(([name]) => name)).toEqual(['nginx']);
    const upstreams = [...read('deploy/compose/upstreams.conf').matchAll(/^ {2}server ([\w-]+):4321 /gm)];
    expect(upstreams.map(([, name]) => name)).toEqual(servers.map(([name]) => name));
  });
});
