import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { makeAuthority } from './authority.ts';
import { outputOf } from './child-output.ts';
import { NGINX } from './debian.ts';
import { freePort } from './free-port.ts';
import { type Answer as SentAnswer, type Asked as SentAsked, sendRequest } from './send-request.ts';

const PATIENCE_MS = 60_000;
/** Host name in the shipped files. */
const NAME = 'example.org';

export interface Answer extends Omit<SentAnswer, 'body'> {
  readonly body: string;
}

export interface Asked extends Omit<SentAsked, 'agent' | 'over'> {
  /** The local address that sends the request. */
  readonly from?: string;
  /** The Host header of the request. */
  readonly host?: string;
}

export interface Nginx {
  /** Sends a request over TLS that trusts nginx's certificate only. Rejects without a complete response. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** nginx without TLS. */
  askPlain(path: string, asked?: Asked): Promise<Answer>;
  /** Port for requests over TLS. */
  readonly port: number;
  /** Returns the contents of a log file, by its path in the shipped configuration. */
  log(path: string): string;
  stop(): Promise<void>;
}

export interface Recipe {
  /** Shipped files by their installed path. */
  readonly files: Readonly<Record<string, string>>;
  /** Replacements in the shipped files, mostly an address (`127.0.0.1:4321`) by that of the test's server. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Other files, by the path that the shipped configuration has for them. */
  readonly contents?: ReadonlyMap<string, string | Buffer>;
}

/** The main file that includes the shipped ones: Debian's, changed to run without root and to write nowhere else. */
function mainFile(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, 'temporary', kind)};`,
  );
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 2;',
    `pid ${join(folder, 'nginx.pid')};`,
    `error_log ${join(folder, 'error.log')} warn;`,
    'events { worker_connections 512; }',
    'http {',
    'include /etc/nginx/mime.types;',
    'default_type application/octet-stream;',
    ...temporary,
    `include ${join(folder, 'etc/nginx/conf.d')}/*.conf;`,
    '}',
  ].join('\n');
}

const reaches = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const asking =
  (url: string, ca: Buffer | null): Nginx['ask'] =>
  async (path, { headers, from = '127.0.0.1', host = NAME, ...asked } = {}) => {
    const over = { localAddress: from, ...(ca !== null && { ca, servername: host }) };
    const answer = await sendRequest(url, path, { ...asked, headers: { host, ...headers }, over });
    return { ...answer, body: answer.body.toString() };
  };

/**
 * Starts Debian's nginx with the shipped files, installed below a temporary folder instead of `/`. Only their ports,
 * server addresses and paths are replaced.
 */
export async function startNginx({ files, replaced = {}, contents = new Map() }: Recipe): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-nginx-'));
  const [plain, tls] = [await freePort(), await freePort()];
  const here = (text: string) =>
    Object.entries(replaced)
      .reduce((changed, [shipped, other]) => changed.replaceAll(shipped, other), text)
      .replaceAll(/^(\s*listen )(\[::\]:)?(80|443)\b/gm, (_, listen, isSix, port) => {
        // Some machines lack IPv6, so a second IPv4 address replaces it.
        return `${listen}${isSix === undefined ? '127.0.0.1' : '127.0.0.2'}:${port === '80' ? plain : tls}`;
      })
      .replaceAll(/(?<=[\s"])\/(etc|var)\//g, `${folder}/$1/`);

  const put = (path: string, content: string | Buffer) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const texts = Object.entries(files).map(
    ([path, shipped]) => [path, readFileSync(join(ROOT, shipped), 'utf8')] as const,
  );
  const unknown = Object.keys(replaced).find((word) => !texts.some(([, text]) => text.includes(word)));
  if (unknown !== undefined) throw new Error(`No shipped file has "${unknown}", which the test replaces.`);
  for (const [path, text] of texts) put(path, here(text));
  for (const [path, content] of contents) put(path, content);
  for (const path of ['var/log/nginx', 'var/cache/nginx', 'temporary']) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  const authority = makeAuthority();
  const { certificate, key } = authority.issue(NAME);
  put(`/etc/letsencrypt/live/${NAME}/fullchain.pem`, readFileSync(certificate));
  put(`/etc/letsencrypt/live/${NAME}/privkey.pem`, readFileSync(key));
  const ca = readFileSync(authority.file);
  authority.remove();
  const main = join(folder, 'nginx.conf');
  writeFileSync(main, mainFile(folder));

  const child = spawn(NGINX, ['-c', main, '-e', join(folder, 'error.log')], { stdio: 'pipe' });
  const { output, ended } = outputOf(child);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await reaches(tls))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`nginx did not start: ${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    ask: asking(`https://127.0.0.1:${tls}`, ca),
    askPlain: asking(`http://127.0.0.1:${plain}`, null),
    port: tls,
    log: (path) => readFileSync(join(folder, path), 'utf8'),
    stop,
  };
}
