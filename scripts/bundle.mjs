// Node 20 runs no TypeScript, so programs that a script or a test starts are bundled first.
import { ROOT } from './set-up.mjs';

/**
 * Bundles TypeScript for Node. `entries` maps the name of each output file to its source. `folder` has to be below the
 * project's folder, so that imports of packages resolve. Modules that `external` matches are not bundled.
 */
export async function bundle(folder, entries, external) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: 'node20',
      rolldownOptions: { input: entries, external, output: { entryFileNames: '[name].js' } },
    },
  });
}
