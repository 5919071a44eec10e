import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';
import { ROOT } from '../../scripts/set-up.mjs';

/**
 * Bundles a TypeScript entry (a path from the project's folder) for a worker thread or a child process, which cannot
 * run TypeScript. The program lies below the project's folder, so that packages resolve, and in its own folder, so that
 * test files can run in parallel. `remove` removes it.
 */
export async function bundleForNode(entry: string): Promise<{ program: string; remove: () => void }> {
  const bundles = join(ROOT, '.tsbuild', 'bundles');
  mkdirSync(bundles, { recursive: true });
  const outDir = mkdtempSync(join(bundles, 'bundle-'));
  await bundle(outDir, { entry: join(ROOT, entry) });
  return {
    program: join(outDir, 'entry.js'),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}
