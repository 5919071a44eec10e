import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Authority {
  /** File of the authority's own certificate, which clients need to verify its certificates. */
  readonly file: string;
  /** Issues a certificate for a host name. Returns the files of the certificate and its key, by default of a curve. */
  issue(name: string, key?: string[]): { certificate: string; key: string };
  remove(): void;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
export const RSA = ['-newkey', 'rsa:2048'];

/** A certificate authority in a temporary folder, like that of a database provider. Needs openssl. */
export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-authority-'));
  chmodSync(folder, 0o755);
  const make = (name: string, subject: string, more: readonly string[], key = CURVE) => {
    const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
    const out = ['-keyout', files.key, '-out', files.certificate, '-subj', `/CN=${subject}`];
    execFileSync('openssl', ['req', '-x509', ...key, '-nodes', '-days', '2', ...out, ...more], {
      stdio: 'pipe',
    });
    return files;
  };
  const own = make('authority', 'An authority for tests', []);
  return {
    file: own.certificate,
    issue: (name, key) => {
      const extensions = [
        '-addext',
        `subjectAltName=DNS:${name}`,
        '-addext',
        'basicConstraints=critical,CA:FALSE',
      ];
      return make(name, name, ['-CA', own.certificate, '-CAkey', own.key, ...extensions], key);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
