// A process that takes the lock of a folder for each line it reads, for tests that stop and kill it: node entry.js
// <folder>. It prints "held" or the reason of the refusal.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { takeLock } from '#database/embedded/lock.ts';

const [folder = ''] = process.argv.slice(2);

for await (const _ of createInterface({ input: process.stdin })) {
  const outcome = await takeLock(folder).then(
    () => 'held',
    (error: Error) => error.message,
  );
  writeSync(1, `${outcome}\n`);
}
