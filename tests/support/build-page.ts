import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { temporaryFolder } from './product.ts';
import type { Site } from './static-host.ts';

const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
/** No setting but those given, whatever a `.env` says. */
const UNSET = {
  VITE_SUPABASE_URL: '',
  VITE_SUPABASE_ANON_KEY: '',
  VITE_ANALYTICS: '',
  VITE_WIDGET_SYMBOLS: '',
  VITE_SUBSCRIBE_CONFIRM: '',
};

function readSite(folder: string): Site {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path)];
    }),
  );
}

/** Builds the page as a static site with some settings; `site` is empty when the build fails. */
export function buildPage(settings: Record<string, string> = {}): Promise<{ output: string; site: Site }> {
  const folder = temporaryFolder();
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [VITE, 'build', '--outDir', folder.path, '--emptyOutDir'], {
      cwd: ROOT,
      env: { PATH, HOME, NODE_ENV: 'production', ...UNSET, ...settings },
    });
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    child.once('close', () => {
      const site = readSite(folder.path);
      folder.remove();
      resolve({ output, site });
    });
  });
}
