import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '#tests/support/product.ts';
import { syncFolder } from './sync-to-disk.ts';

describe('a folder', () => {
  it('is opened to be synced', () => {
    const folder = temporaryFolder();
    expect(() => syncFolder(folder.path)).not.toThrow();
    expect(() => syncFolder(join(folder.path, 'missing'))).toThrow('ENOENT');
    folder.remove();
  });

  it('is not opened on Windows, which cannot open a folder', () => {
    expect(() => syncFolder('missing', 'win32')).not.toThrow();
  });
});
