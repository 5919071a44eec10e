import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#database/postgres/open.ts';
import { hasYaml } from '#tests/support/debian.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { documentedSettings } from '#tests/support/documented-settings.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { freePort } from '#tests/support/free-port.ts';
import { addressFor } from '#tests/support/hosted-project.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';
import { temporaryFolder } from '#tests/support/product.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const FOLDER = join(ROOT, 'deploy', 'compose');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** The instructions of a Dockerfile by stage. */
function readStages(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', flagged = '', rest = ''] = /^([A-Z]+)((?: --\S+)*) (.+)$/.exec(line) ?? [];
    const flags = Object.fromEntries(
      [...flagged.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, flags, rest });
  }
  return stages;
}

const stages = readStages(read('deploy/compose/Dockerfile'));
const image = stages.at(-1) ?? [];
const of = (stage: readonly Instruction[], name: string) =>
  stage.filter((instruction) => instruction.name === name);
const pathsOf = ({ rest }: Instruction) => {
  const paths = rest.split(' ');
  return { from: paths.slice(0, -1), to: paths.at(-1) ?? '' };
};
const NAMES = stages.map(([from]) => / AS (\w+)$/.exec(from?.rest ?? '')?.[1]);

describe('the Dockerfile', () => {
  it('starts each stage from the Node version that package.json requires', () => {
    const bases = new Set(stages.map(([from]) => from?.rest.split(' ')[0]));
    expect(bases.size).toBe(1);
    const [, major, minor] = /^node:(\d+)\.(\d+)\.\d+-bookworm-slim$/.exec([...bases].join()) ?? [];
    const [, wantedMajor, wantedMinor] =
      /^>=(\d+)\.(\d+)$/.exec(JSON.parse(read('package.json')).engines.node) ?? [];
    expect(major).toBe(wantedMajor);
    expect(Number(minor)).toBeGreaterThanOrEqual(Number(wantedMinor));
  });

  it('copies existing files, and .dockerignore admits no others', () => {
    const copied = stages
      .flatMap((stage) => of(stage, 'COPY'))
      .filter(({ flags }) => flags.from === undefined)
      .flatMap((copy) => pathsOf(copy).from);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const [everything, ...kept] = read('deploy/compose/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(everything).toBe('*');
    const isKept = (path: string) =>
      kept.some((line) => path === line.slice(1) || path.startsWith(`${line.slice(1)}/`));
    expect(copied.filter((path) => !isKept(path))).toEqual([]);
    expect(kept.filter((line) => !copied.includes(line.slice(1)))).toEqual([]);
  });

  it('copies from existing stages, and runs programs without a shell', () => {
    for (const { flags } of stages.flatMap((stage) => of(stage, 'COPY'))) {
      if (flags.from !== undefined) expect(NAMES).toContain(flags.from);
    }
    const commands = stages.flatMap((stage) => [...of(stage, 'RUN'), ...of(stage, 'CMD')]);
    expect(commands.filter(({ rest }) => !Array.isArray(JSON.parse(rest)))).toEqual([]);
  });

  it('has known settings, and a user other than root', () => {
    const [{ rest = '' } = {}] = of(image, 'ENV');
    const named = [...rest.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !['NODE_ENV', ...documentedSettings()].includes(name))).toEqual([]);
    expect(of(image, 'USER').map((user) => user.rest)).toEqual(['node']);
    const names = image.map(({ name }) => name);
    expect(names.indexOf('CMD')).toBeGreaterThan(names.lastIndexOf('USER'));
  });

  describe('with its files laid out as in the image', () => {
    const app = temporaryFolder();
    const data = temporaryFolder();
    const from: Record<string, (to: string) => void> = {
      build: (to) => cpSync(join(ROOT, 'dist'), to, { recursive: true }),
      packages: (to) => symlinkSync(join(ROOT, 'node_modules'), to),
    };

    beforeAll(async () => {
      for (const copy of of(image, 'COPY')) {
        const { from: sources, to } = pathsOf(copy);
        const place = join(app.path, to);
        mkdirSync(dirname(place), { recursive: true });
        const take = from[copy.flags.from ?? ''];
        if (take !== undefined) take(place);
        else
          for (const source of sources)
            cpSync(join(ROOT, source), join(app.path, source), { recursive: true });
      }
      await copyDemonstration(data.path);
    });
    afterAll(() => {
      app.remove();
      data.remove();
    });

    it('has every file that a command reads', () => {
      const looked = [...read('src/cli/paths.ts').matchAll(/new URL\('([^']+)'/g)].map(
        ([, path = '']) => path,
      );
      expect(looked.length).toBeGreaterThan(5);
      const missing = looked.filter((path) => !existsSync(join(app.path, 'dist', 'server', path)));
      expect(missing).toEqual([]);
    });

    it('starts the server, and the health check reports its state', async () => {
      const [{ rest: check = '' } = {}] = of(image, 'HEALTHCHECK');
      const [, checks = '[]'] = /CMD (.+)$/.exec(check) ?? [];
      const [{ rest: command = '[]' } = {}] = of(image, 'CMD');
      const port = String(await freePort());
      const environment = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', PORT: port };
      const isHealthy = () => {
        const [program = '', ...parameters] = JSON.parse(checks) as string[];
        return spawnSync(program, parameters, { cwd: app.path, env: environment }).status;
      };
      expect(isHealthy()).toBe(1);
      const [program = '', ...parameters] = JSON.parse(command) as string[];
      const server = spawn(program, parameters, {
        cwd: app.path,
        env: { ...environment, BAROMETER_DATA_DIR: data.path },
      });
      const ended = once(server, 'close');
      onTestFinished(() => void server.kill('SIGKILL'));
      let said = '';
      server.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      // Waits for the address instead of repeating the health check, each of which starts Node.
      await expect.poll(() => said).toContain(`:${port}`);
      expect(isHealthy()).toBe(0);
      server.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    });
  });
});

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
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
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
}

describe.runIf(hasYaml())('the compose file', () => {
  const text = read('deploy/compose/compose.yaml');
  const parse = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';
  const parsed = () => {
    const { status, stdout, stderr } = spawnSync('python3', ['-c', parse], { input: text, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Compose;
  };
  let services: Compose['services'];
  let volumes: Compose['volumes'];
  let networks: Compose['networks'];
  let all: [string, Service][];
  let servers: [string, Service][];

  beforeAll(() => {
    ({ services, volumes, networks } = parsed());
    all = Object.entries(services);
    servers = all.filter(([, { build }]) => build !== undefined);
  });

  it('has two servers of that image with known settings', () => {
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

  it.runIf(hasPostgres())(
    'gives them a role that is no superuser, which can do all that they do',
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
      const rows = await database.transaction((transaction) => transaction.query(isSuper));
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

  it('mounts every file that nginx reads, and a folder for every file that it writes', () => {
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
