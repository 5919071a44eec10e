import { execFile, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parseVerifierKey } from '#record/ledger/checkpoint.ts';
import { derOf } from '#record/ledger/der.ts';
import { has, hasGit } from './debian.ts';
import { listenOnLoopback } from './loopback.ts';

const run = promisify(execFile);

/** True if the programs of the places are on this machine. */
export const hasAnchorPrograms = (): boolean =>
  hasGit() && has(['openssl'], () => spawnSync('openssl', ['version']).status === 0);

type Respond = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

const serve = (respond: Respond) => listenOnLoopback((request, response) => void respond(request, response));

const KEYS = { rsa: ['rsa', 'rsa_keygen_bits:2048'], ec: ['ec', 'ec_paramgen_curve:P-256'] } as const;

/** Starts a timestamp authority of openssl on loopback. Its root also issues a certificate for web servers. */
export async function startAuthority(algorithm: keyof typeof KEYS) {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'));
  const [name, option] = KEYS[algorithm];
  const openssl = (command: string) => run('openssl', command.split(' '), { cwd: folder });
  const newKey = `req -newkey ${name} -pkeyopt ${option} -nodes`;
  writeFileSync(join(folder, 'serial'), '01\n');
  writeFileSync(
    join(folder, 'tsa.cnf'),
    `[tsa]\ndefault_tsa=ours\n[ours]\nserial=serial\nsigner_cert=tsa.pem\nsigner_key=tsa.key\ncerts=tsa.pem
signer_digest=sha512\ndefault_policy=1.2.3.4\ndigests=sha256\ness_cert_id_alg=sha256\n`,
  );
  await openssl(`${newKey} -x509 -keyout root.key -out root.pem -subj /CN=Root -days 30`);
  for (const [purpose, file] of [
    ['timeStamping', 'tsa'],
    ['serverAuth', 'web'],
  ] as const) {
    writeFileSync(join(folder, purpose), `extendedKeyUsage=critical,${purpose}\n`);
    await openssl(`${newKey} -keyout ${file}.key -out ${file}.csr -subj /CN=${file}`);
    await openssl(
      `x509 -req -in ${file}.csr -CA root.pem -CAkey root.key -CAcreateserial -extfile ${purpose} -days 30 -out ${file}.pem`,
    );
  }
  let requests = 0;
  const { url, close } = await serve(async (request, response) => {
    requests += 1;
    writeFileSync(join(folder, `query-${requests}`), await buffer(request));
    const reply = `reply-${requests}`;
    await openssl(`ts -reply -queryfile query-${requests} -out ${reply} -config tsa.cnf`);
    response.setHeader('Content-Type', 'application/timestamp-reply').end(readFileSync(join(folder, reply)));
  });
  const rootFile = join(folder, 'root.pem');
  return {
    ...{ url, rootFile },
    trusted: [new X509Certificate(readFileSync(rootFile))],
    /** Returns the newest response, signed by the certificate for web servers. */
    async signForWeb() {
      await openssl(`ts -reply -in reply-${requests} -token_out -out token`);
      await openssl('cms -verify -noverify -inform DER -in token -out info');
      await openssl(
        `cms -sign -in info -binary -nodetach -econtent_type 1.2.840.113549.1.9.16.1.4 -signer web.pem -inkey web.key -outform DER -out forged`,
      );
      const granted = Buffer.from('3003020100', 'hex');
      return derOf(0x30, granted, readFileSync(join(folder, 'forged')));
    },
    close: async () => {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

const hashOf = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const nodeOf = (left: Uint8Array, right: Uint8Array) => hashOf(Uint8Array.of(1), left, right);

/** True if a consistency proof leads from one tree to a larger one (RFC 9162, section 2.1.4.2). */
export function isConsistent(
  from: { size: number; root: Uint8Array },
  to: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  const isPower = (from.size & (from.size - 1)) === 0;
  const [first, ...path] = isPower ? [from.root, ...proof] : proof;
  if (first === undefined || from.size === 0) return false;
  let [inner, outer] = [from.size - 1, to.size - 1];
  while (inner & 1) [inner, outer] = [inner >> 1, outer >> 1];
  let [older, newer] = [Buffer.from(first), Buffer.from(first)];
  for (const hash of path) {
    if (outer === 0) return false;
    if (inner & 1 || inner === outer) {
      [older, newer] = [nodeOf(hash, older), nodeOf(hash, newer)];
      while (!(inner & 1) && inner !== 0) [inner, outer] = [inner >> 1, outer >> 1];
    } else newer = nodeOf(newer, hash);
    [inner, outer] = [inner >> 1, outer >> 1];
  }
  return outer === 0 && older.equals(from.root) && newer.equals(to.root);
}

/** Starts a witness on loopback (c2sp.org/tlog-witness) that signs at `now` (epoch s). It knows the first log that it sees. */
export async function startWitness(now: number) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const typed = Buffer.concat([
    Uint8Array.of(4),
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ]);
  const name = 'witness.example';
  const id = hashOf(Buffer.from(`${name}\n`), typed).subarray(0, 4);
  const key = `${name}+${id.toString('hex')}+${typed.toString('base64')}`;
  let seen = { size: 0, root: Buffer.of() };
  let known = '';
  const { url, close } = await serve(async (request, response) => {
    const [head = '', ...rest] = String(await buffer(request)).split('\n\n');
    const [old, ...proof] = head.split('\n');
    const [body = ''] = rest;
    const [origin = '', size = '', root = ''] = body.split('\n');
    known ||= origin;
    if (origin !== known) {
      response.writeHead(404).end();
      return;
    }
    const next = { size: Number(size), root: Buffer.from(root, 'base64') };
    if (old !== `old ${seen.size}`) {
      response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end(`${seen.size}\n`);
      return;
    }
    const hashes = proof.map((line) => Buffer.from(line, 'base64'));
    const isSame = seen.size === next.size && seen.root.equals(next.root);
    if (seen.size > 0 && !isSame && !isConsistent(seen, next, hashes)) {
      response.writeHead(422).end();
      return;
    }
    seen = next;
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(now));
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${now}\n${body}\n`), privateKey);
    response.end(`— ${name} ${Buffer.concat([id, time, signed]).toString('base64')}\n`);
  });
  const parsed = parseVerifierKey(key, 'witness');
  if (parsed === null) throw new Error('The key of the witness is invalid.');
  return { setting: `${url} ${key}`, witness: { url, key: parsed }, close };
}

/** Creates an empty git repository. */
export async function createRepository() {
  const folder = mkdtempSync(join(tmpdir(), 'repository-'));
  const path = join(folder, 'ledger.git');
  mkdirSync(path);
  await run('git', ['init', '--quiet', '--bare', path]);
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}
