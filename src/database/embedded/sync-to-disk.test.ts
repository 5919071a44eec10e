import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '#tests/support/product.ts';
import { syncFolder } from './sync-to-disk.ts';

describe('a folder', () => {
  const flushWith = (code: string) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    syncFolder(folder.path, () => {
      throw Object.assign(new Error(code), { code });
    });
  };

  it('is opened to be flushed', () => {
    const folder = temporaryFolder();
    expect(() => syncFolder(folder.path)).not.toThrow();
    expect(() => syncFolder(join(folder.path, 'missing'))).toThrow('ENOENT');
    folder.remove();
  });

  it.each(['EISDIR', 'EPERM', 'EINVAL'])('is not flushed on a system that responds %s', (code) => {
    expect(() => flushWith(code)).not.toThrow();
  });

  it('throws the error of a broken disk', () => {
    expect(() => flushWith('EIO')).toThrow('EIO');
  });
});
