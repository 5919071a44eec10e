// Node 20 runs no TypeScript, so programs that a script or a test starts are bundled first.
import { ROOT } from './set-up.mjs';

/**
 * Bundles TypeScript for Node into a folder below the project's, where packages resolve: `entries` by the name
 * of their file. Modules that `external` matches stay where they are.
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
