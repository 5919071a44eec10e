import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Authority {
  /** The file of its own certificate, by which clients know those it issued. */
  readonly file: string;
  /** The files of a certificate and its key for a host's name. */
  issue(name: string): { certificate: string; key: string };
  remove(): void;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** An authority of certificates in a temporary folder, as a provider of databases has its own. Needs openssl. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-authority-'));
  chmodSync(folder, 0o755);
  const make = (name: string, subject: string, more: readonly string[]) => {
    const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
    const out = ['-keyout', files.key, '-out', files.certificate, '-subj', `/CN=${subject}`];
    execFileSync('openssl', ['req', '-x509', ...KEY, ...out, ...more], { stdio: 'pipe' });
    return files;
  };
  const own = make('authority', 'An authority for tests', []);
  return {
    file: own.certificate,
    issue: (name) =>
      make(name, name, [
        ...['-CA', own.certificate, '-CAkey', own.key],
        ...['-addext', `subjectAltName=DNS:${name}`, '-addext', 'basicConstraints=critical,CA:FALSE'],
      ]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
