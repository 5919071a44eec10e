import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { LedgerError } from './entries.ts';

/** Time limit of one command, such as a clone (ms). */
const TIMEOUT_MS = 60_000;
/** Maximum number of checkpoints that are read: one per week for a lifetime. */
const MOST_CHECKPOINTS = 5_000;

const REMOTE = /^(https?|ssh|git|file):\/\/\S+$|^[\w.-]+@[\w.-]+:[^\s:]+$|^\/\S*$/;

/** True for an address that git can push to: a URL, `user@host:path`, or an absolute path. */
export const isRepository = (text: string): boolean => REMOTE.test(text);

/** Returns the public part of a repository's address, such as 'example.com/ledger.git'. A path is not public. */
export function nameOfRepository(address: string): string {
  const [, host, path] = /^[\w.-]+@([\w.-]+):(\S+)$/.exec(address) ?? [];
  if (host !== undefined) return `${host}/${path}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  return url === null || url.protocol === 'file:' ? 'a git repository' : `${url.host}${url.pathname}`;
}

/** Variables with which another git, such as one that runs a hook, would redirect ours. */
const REDIRECTS = /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|NAMESPACE|COMMON_DIR)$/;

function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !REDIRECTS.test(name));
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=20',
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

const OURS = [
  ...['-c', 'user.name=Barometer', '-c', 'user.email=ledger@localhost', '-c', 'commit.gpgsign=false'],
  // Ends a transfer without data after 30 seconds, even if the process that started it has ended.
  ...['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30'],
];

const isWindows = process.platform === 'win32';

/** Kills a process and the group that it leads. Windows has no groups: there, kills the process only. */
function killGroup(child: ChildProcess): void {
  try {
    if (isWindows || child.pid === undefined) child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}

interface GitOptions {
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs git in a folder and returns its output. Throws LedgerError without the address, which may contain a password. */
export async function git(
  folder: string,
  parameters: readonly string[],
  { input = '', signal }: GitOptions = {},
): Promise<Buffer> {
  // A group of its own, because the programs that git starts for a transfer would survive it and keep its output open.
  const child = spawn('git', [...OURS, ...parameters], {
    cwd: folder,
    env: gitEnvironment(),
    detached: !isWindows,
  });
  const kill = () => killGroup(child);
  const limit = setTimeout(kill, TIMEOUT_MS);
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', kill);
  const ended = once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    throw new LedgerError(`git cannot be started (${error.code}). Install git.`, { cause: error });
  });
  // A git that ends early does not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [output, errors, [code, killedBy]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    ended,
  ]).finally(() => {
    clearTimeout(limit);
    signal?.removeEventListener('abort', kill);
  });
  if (code === 0) return output;
  if (killedBy !== null)
    throw new LedgerError('git did not end in time. Check the connection to the repository.');
  const reason = /^(?:fatal|error|remote): (.*)$/m
    .exec(errors)?.[1]
    ?.replaceAll(/'[^']*'|\S+(?:@|:\/\/)\S+/g, '…');
  throw new LedgerError(`git ${parameters[0]} failed: ${reason ?? `exit code ${code}`}.`);
}

async function inClone<T>(
  repository: string,
  { depth, signal }: { readonly depth: readonly string[] } & Pick<GitOptions, 'signal'>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'barometer-git-'));
  try {
    // A bare clone writes no file of the repository, which may contain links to other files.
    const parameters = ['clone', '--quiet', '--bare', '--no-tags', ...depth, '--', repository, '.'];
    await git(folder, parameters, { signal });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const line = (output: Buffer) => output.toString().trim();
const FILE = 'checkpoint';

/** Returns the id of the newest commit; null in an empty repository. */
const headOf = (folder: string) =>
  git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD']).then(line, () => null);

/** Commits and pushes a checkpoint, unless `check` throws for the published one. Returns the id of its commit. */
export function publishCheckpoint(
  repository: string,
  checkpoint: string,
  check: (published: string) => void,
  signal?: AbortSignal,
): Promise<string> {
  return inClone(repository, { depth: ['--depth=1'], signal }, async (folder) => {
    const head = await headOf(folder);
    const published = head && (await git(folder, ['cat-file', 'blob', `${head}:${FILE}`]).catch(() => null));
    if (published?.toString() === checkpoint) return head ?? '';
    if (published) check(published.toString());
    const blob = line(await git(folder, ['hash-object', '-w', '--stdin'], { input: checkpoint }));
    if (head !== null) await git(folder, ['read-tree', head]);
    await git(folder, ['update-index', '--add', '--cacheinfo', `100644,${blob},${FILE}`]);
    const tree = line(await git(folder, ['write-tree']));
    const parent = head === null ? [] : ['-p', head];
    const subject = `Checkpoint of ${checkpoint.split('\n')[1]} entries`;
    const commit = line(await git(folder, ['commit-tree', tree, ...parent, '-m', subject]));
    const branch = line(await git(folder, ['symbolic-ref', 'HEAD']));
    await git(folder, ['push', '--quiet', '--', repository, `${commit}:${branch}`], { signal });
    return commit;
  });
}

/** Reads every published checkpoint of a repository or a clone of it, newest first. Throws LedgerError. */
export function readCheckpoints(repository: string): Promise<string[]> {
  return inClone(repository, { depth: [] }, async (folder) => {
    if ((await headOf(folder)) === null) return [];
    const commits = line(
      await git(folder, ['rev-list', `--max-count=${MOST_CHECKPOINTS}`, 'HEAD', '--', FILE]),
    );
    const names = commits.split('\n').filter((commit) => commit !== '');
    const found: string[] = [];
    for (const commit of names)
      found.push(String(await git(folder, ['cat-file', 'blob', `${commit}:${FILE}`])));
    return found;
  });
}
