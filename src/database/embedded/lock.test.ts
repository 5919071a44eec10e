import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '#tests/support/bundle.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import { takeLock } from './lock.ts';

const CONTENDERS = 8;
const ROUNDS = 8;

let parent: string;
let program: string;
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-lock-'));
  program = await bundleForNode('tests/support/lock-child.ts');
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(program, '..'), { recursive: true, force: true });
});

describe('the lock of a folder', () => {
  it('is held by one process, which the error names to others', async () => {
    const folder = join(parent, 'named');
    const release = await takeLock(folder);
    expect(await isLocked(folder)).toBe(true);
    await expect(takeLock(folder)).rejects.toThrow(
      `The database in ${folder} is in use by process ${process.pid}: stop that process first, or set another BAROMETER_DATA_DIR.`,
    );
    release();
    expect(await isLocked(folder)).toBe(false);
    (await takeLock(folder))();
    expect(readdirSync(`${folder}.lock`)).toEqual([]);
  });

  it('is accessible to its user only [T19]', async () => {
    const folder = join(parent, 'private');
    mkdirSync(`${folder}.lock`, { mode: 0o777 });
    const release = await takeLock(folder);
    expect(statSync(`${folder}.lock`).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(`${folder}.lock`);
    expect(statSync(join(`${folder}.lock`, name)).mode & 0o777).toBe(0o600);
    release();
  });

  it('is the same for all paths to the folder', async () => {
    const folder = join(parent, 'real');
    mkdirSync(folder);
    symlinkSync(folder, join(parent, 'linked'));
    const release = await takeLock(folder);
    await expect(takeLock(join(parent, 'linked'))).rejects.toThrow('is in use by process');
    release();
  });

  it('works with long paths on Linux and throws one sentence elsewhere', async () => {
    const folder = join(parent, 'x'.repeat(200));
    if (process.platform !== 'linux') {
      await expect(takeLock(folder)).rejects.toThrow('is too long for a socket');
      return;
    }
    const release = await takeLock(folder);
    expect(await isLocked(folder)).toBe(true);
    await expect(takeLock(folder)).rejects.toThrow(`is in use by process ${process.pid}:`);
    release();
  });

  it('does not remove hidden sockets', async () => {
    const folder = join(parent, 'hidden');
    mkdirSync(`${folder}.lock`);
    const hidden = join(`${folder}.lock`, '.0123456789abcdef');
    writeFileSync(hidden, '');
    (await takeLock(folder))();
    expect(readdirSync(`${folder}.lock`)).toEqual(['.0123456789abcdef']);
  });

  it('gives the lock to the contender with the smaller name', async () => {
    const folder = join(parent, 'contended');
    mkdirSync(`${folder}.lock`);
    const contender = (name: string, onAsked: () => void) => {
      const path = join(`${folder}.lock`, name);
      const server = createServer((socket) =>
        socket.once('data', () => {
          socket.end(JSON.stringify({ state: 'contends', pid: 7, host: 'elsewhere' }));
          onAsked();
        }),
      );
      server.listen(path);
      return { server, withdraw: () => server.close(() => rmSync(path, { force: true })) };
    };
    const later = contender('f'.repeat(16), () => later.withdraw());
    await once(later.server, 'listening');
    (await takeLock(folder))();

    const first = contender('0'.repeat(16), () => undefined);
    await once(first.server, 'listening');
    await expect(takeLock(folder)).rejects.toThrow(
      'is in use by process 7 on elsewhere: stop that process first',
    );
    first.withdraw();
  });
});

interface Contender {
  readonly child: ChildProcess;
  /** Tries to take the lock. Resolves with 'held' or the message of the error. */
  take(): Promise<string>;
  kill(): Promise<void>;
}

describe('processes that take the lock of a folder', () => {
  const contenders = new Set<Contender>();
  afterEach(() => Promise.all([...contenders].map((contender) => contender.kill())));

  function startContender(folder: string): Contender {
    const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const contender: Contender = {
      child,
      async take() {
        child.stdin.write('take\n');
        return (await lines.next()).value ?? 'ended';
      },
      async kill() {
        contenders.delete(contender);
        child.kill('SIGKILL');
        await ended;
      },
    };
    contenders.add(contender);
    return contender;
  }

  it(`let exactly one of ${CONTENDERS} take it from a killed holder, in ${ROUNDS} rounds`, async () => {
    const folder = join(parent, 'many');
    for (let index = 0; index < CONTENDERS; index += 1) startContender(folder);
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = [...contenders];
      const outcomes = await Promise.all(started.map((contender) => contender.take()));
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
      for (const outcome of outcomes.filter((each) => each !== 'held')) {
        expect(outcome).toMatch(
          /^The database in \S+ is in use by process \d+: stop that process first, or .*\.$/,
        );
      }
      await started[outcomes.indexOf('held')]?.kill();
      expect(readdirSync(`${folder}.lock`)).toHaveLength(1);
      startContender(folder);
    }
  });

  it('are refused while the holder of the lock is suspended', async () => {
    const folder = join(parent, 'stopped');
    const [holder, other] = [startContender(folder), startContender(folder)];
    expect(await holder.take()).toBe('held');
    holder.child.kill('SIGSTOP');
    expect(await other.take()).toContain(
      'is in use by a process that does not respond: stop that process first',
    );
    await holder.kill();
    expect(await other.take()).toBe('held');
  });

  it('hold no lock as a zombie', async () => {
    const folder = join(parent, 'zombie');
    // The shell starts the lock holder, then replaces itself by `sleep`, which never waits for a child process.
    const script = 'exec 3<&0; "$0" "$@" <&3 & exec sleep 600';
    const shell = spawn('sh', ['-c', script, process.execPath, program, folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
      shell.stdin.write('take\n');
      expect((await lines.next()).value).toBe('held');
      const refusal = await takeLock(folder).catch(String);
      const pid = Number(/in use by process (\d+):/.exec(String(refusal))?.[1]);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => isLocked(folder)).toBe(false);
      expect(() => process.kill(pid, 0)).not.toThrow();
      (await takeLock(folder))();
    } finally {
      shell.kill('SIGKILL');
      await once(shell, 'close');
    }
  });
});
