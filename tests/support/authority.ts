import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Authority {
  /** File of the authority's own certificate, which clients need to verify its certificates. */
  readonly file: string;
  /** Issues a certificate for a host name. Returns the files of the certificate and its key. */
  issue(name: string): { certificate: string; key: string };
  remove(): void;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

/** A certificate authority in a temporary folder, like that of a database provider. Needs openssl. */
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
