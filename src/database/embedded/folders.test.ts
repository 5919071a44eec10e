import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#tests/support/product.ts';
import { syncFolder } from './folders.ts';

it('flushes a folder, and throws the error of the system', () => {
  const folder = temporaryFolder();
  expect(() => syncFolder(folder.path)).not.toThrow();
  expect(() => syncFolder(join(folder.path, 'missing'))).toThrow('ENOENT');
  folder.remove();
});

it.runIf(process.platform === 'linux')('does nothing on a file system that cannot flush folders', () => {
  expect(() => syncFolder('/proc')).not.toThrow();
});
