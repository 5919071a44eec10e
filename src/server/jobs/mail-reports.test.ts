import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { folderForTests } from '#tests/support/shared.ts';
import { createLog } from '../log.ts';
import { createReportFolder, type ReportHandler } from './mail-reports.ts';

const parent = folderForTests();
const folder = join(parent, 'new');
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const lines: string[] = [];
const log = createLog({ write: (line) => lines.push(line), clock: () => 0, format: 'plain' });
const run = (handle: ReportHandler, signal = new AbortController().signal) =>
  createReportFolder({ folder, handle, log, signal }).run();

it('takes each file once, in order, and deletes it', async () => {
  writeFileSync(join(folder, '2.eml'), 'second');
  writeFileSync(join(folder, '1.eml'), 'first');
  writeFileSync(join(folder, '.3.eml.part'), 'incomplete');
  writeFileSync(join(parent, 'secret'), 'outside');
  symlinkSync(join(parent, 'secret'), join(folder, '4.eml'));
  mkdirSync(join(folder, '5.eml'));
  const taken: string[] = [];
  await run(async (raw) => {
    taken.push(Buffer.from(raw).toString());
    return { kind: 'hard bounce', result: taken.length === 1 ? 'deactivated' : 'unverified' };
  });
  expect(taken).toEqual(['first', 'second']);
  expect(readdirSync(folder).sort()).toEqual(['.3.eml.part', '4.eml', '5.eml']);
  expect(existsSync(join(parent, 'secret'))).toBe(true);
  expect(lines).toEqual(['00:00:00 mail reports taken deactivated=1 recorded=0 repeated=0 unverified=1\n']);
});

it('warns once of a file that cannot be read, and takes the others', async () => {
  const socket = createServer().listen(join(folder, '0.sock'));
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  const taken: string[] = [];
  lines.length = 0;
  const job = createReportFolder({
    ...{ folder, log, signal: new AbortController().signal },
    handle: async (raw) => {
      taken.push(Buffer.from(raw).toString());
      return { kind: 'unknown', result: 'recorded' };
    },
  });
  for (const text of ['first', 'second']) {
    writeFileSync(join(folder, '1.eml'), text);
    await job.run();
  }
  expect(taken).toEqual(['first', 'second']);
  expect(lines.filter((line) => line.includes('unreadable'))).toEqual([
    expect.stringMatching(/^00:00:00 warn mail report unreadable file=0\.sock reason="ENXIO: [^"]+"\n$/),
  ]);
  expect(readdirSync(folder)).toEqual(['0.sock']);
});

it('warns once of a file that cannot be deleted, and takes the others', async () => {
  writeFileSync(join(folder, '1.eml'), 'first');
  writeFileSync(join(folder, '2.eml'), 'second');
  const taken: string[] = [];
  lines.length = 0;
  await run(async (raw) => {
    taken.push(Buffer.from(raw).toString());
    if (taken.length === 1) {
      // Nobody can delete a folder like a file, not even root.
      rmSync(join(folder, '1.eml'));
      mkdirSync(join(folder, '1.eml'));
    }
    return { kind: 'unknown', result: 'recorded' };
  });
  expect(taken).toEqual(['first', 'second']);
  expect(lines).toContainEqual(expect.stringContaining('mail report unreadable file=1.eml reason="'));
  expect(readdirSync(folder)).toEqual(['1.eml']);
});

it('keeps a file whose report cannot be stored', async () => {
  writeFileSync(join(folder, '1.eml'), 'first');
  await expect(run(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(readdirSync(folder)).toEqual(['1.eml']);
});

it('reads no further file when the process must end', async () => {
  writeFileSync(join(folder, '1.eml'), 'first');
  writeFileSync(join(folder, '2.eml'), 'second');
  const stop = new AbortController();
  await run(async () => {
    stop.abort();
    return { kind: 'unknown', result: 'recorded' };
  }, stop.signal);
  expect(readdirSync(folder)).toEqual(['2.eml']);
});

it('rejects with ENOENT if the folder is missing', async () => {
  rmSync(folder, { recursive: true });
  await expect(run(() => Promise.reject(new Error('not used')))).rejects.toThrow('ENOENT');
});
