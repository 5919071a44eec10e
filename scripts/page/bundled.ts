import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

interface BundledOptions {
  envDir: string;
  /** A script for within a page, or a module for Node, whose packages stay where they are. */
  format: 'iife' | 'node';
}

/** The code of a module and all it imports. */
export async function bundled(input: string, { envDir, format }: BundledOptions): Promise<string> {
  const output = await build({
    configFile: false,
    envDir,
    publicDir: false,
    logLevel: 'warn',
    build: {
      write: false,
      ssr: format === 'node',
      target: 'es2022',
      minify: format === 'iife',
      modulePreload: false,
      rolldownOptions: { input, output: { format: format === 'iife' ? 'iife' : 'es' } },
    },
  });
  const [made] = [output].flat();
  const chunk = made !== undefined && 'output' in made ? made.output[0] : undefined;
  if (chunk === undefined) throw new Error(`Nothing came of ${input}.`);
  return chunk.code.trim();
}

/** The page without data, as markup. */
export async function markupOf(input: string, envDir: string): Promise<string> {
  const code = await bundled(input, { envDir, format: 'node' });
  // Below the packages, where what it imports of them is found.
  const folder = mkdtempSync(join(envDir, 'node_modules', '.page-'));
  try {
    const file = join(folder, 'markup.mjs');
    writeFileSync(file, code);
    const { shellMarkup }: { shellMarkup: () => string } = await import(pathToFileURL(file).href);
    return shellMarkup();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
