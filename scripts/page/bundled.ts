import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

interface BundledOptions {
  envDir: string;
  /** `iife`: an inline script of a page. `node`: a module for Node, which imports its packages. */
  format: 'iife' | 'node';
}

/** Returns the code of a module, bundled with its imports. */
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
      rolldownOptions: { input, output: { format: format === 'iife' ? 'iife' : 'es', codeSplitting: false } },
    },
  });
  const [made] = [output].flat();
  const chunk = made !== undefined && 'output' in made ? made.output[0] : undefined;
  if (chunk === undefined) throw new Error(`The build of ${input} has no output.`);
  return chunk.code.trim();
}

/** Returns the markup of the page without data. */
export async function markupOf(input: string, envDir: string): Promise<string> {
  const code = await bundled(input, { envDir, format: 'node' });
  // The folder is below node_modules, so that imports of packages resolve.
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
