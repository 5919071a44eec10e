import { spawnSync } from 'node:child_process';
import { installDebianPackages } from '../../scripts/set-up.mjs';

const runs = (program: string, ...parameters: string[]) => spawnSync(program, parameters).status === 0;

/** True if the programs of these Debian packages are available on this machine. In CI they must be. */
export function has(packages: readonly string[], isThere: () => boolean): boolean {
  if (isThere() || (installDebianPackages(packages) && isThere())) return true;
  if (process.env.CI)
    throw new Error(`These packages are not installed, but the tests need them: ${packages.join(', ')}.`);
  return false;
}

export const NGINX = '/usr/sbin/nginx';

/** nginx, and the tool that makes its certificates. */
export const hasNginx = (): boolean =>
  has(['nginx', 'openssl'], () => runs(NGINX, '-v') && runs('openssl', 'version'));

/** True if psql is available, which our packages of Postgres lack. */
export const hasPsql = (): boolean => has(['postgresql-client'], () => runs('psql', '--version'));

/** True if systemd's checker of unit files is available. */
export const hasSystemd = (): boolean => has(['systemd'], () => runs('systemd-analyze', '--version'));

/** Python's YAML parser; npm would only provide one as an indirect dependency. */
export const hasYaml = (): boolean => has(['python3-yaml'], () => runs('python3', '-c', 'import yaml'));

/** A compiler of C with the headers of the system. */
export const hasCompiler = (): boolean =>
  has(['gcc', 'libc6-dev'], () => runs('sh', '-c', 'echo "#include <stdio.h>" | cc -E -x c -'));

export const hasCurl = (): boolean => has(['curl'], () => runs('curl', '--version'));

export const hasGit = (): boolean => has(['git'], () => runs('git', '--version'));
