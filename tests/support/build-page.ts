import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { outputOf } from './child-output.ts';
import { madeOnce } from './made-once.ts';
import { temporaryFolder } from './product.ts';
import { readSite, type Site } from './static-host.ts';

const VITE = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
/** Uses only the given settings, whatever `.env` says. */
const UNSET = {
  VITE_SUPABASE_URL: '',
  VITE_SUPABASE_ANON_KEY: '',
  VITE_ANALYTICS: '',
  VITE_WIDGETS: '',
  VITE_WIDGET_SYMBOLS: '',
  VITE_SUBSCRIBE_CONFIRM: '',
};

/** Builds the page into an empty folder. Returns the output of the build. */
async function buildInto(folder: string, settings: Record<string, string>): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [VITE, 'build', '--outDir', folder, '--emptyOutDir'], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_ENV: 'production', ...UNSET, ...settings },
  });
  const { output, ended } = outputOf(child);
  await ended;
  return output();
}

/** Builds the page as a static site with these settings. `site` is empty if the build fails. */
export async function buildPage(
  settings: Record<string, string> = {},
): Promise<{ output: string; site: Site }> {
  const folder = temporaryFolder();
  const output = await buildInto(folder.path, settings);
  const site = readSite(folder.path);
  folder.remove();
  return { output, site };
}

/** Placeholder for the address of the project, which is known only when a test runs. */
const PROJECT = 'https://project.supabase.invalid';

/** Returns the page built for a hosted project with `VITE_SUPABASE_URL` and its key. Builds once per key. */
export async function pageForProject(url: string, anonKey: string): Promise<Site> {
  const folder = await madeOnce(`page-${anonKey}`, async (made) => {
    const settings = { VITE_SUPABASE_URL: PROJECT, VITE_SUPABASE_ANON_KEY: anonKey };
    const output = await buildInto(made, settings);
    if (readSite(made).size === 0) throw new Error(`The page could not be built: ${output}`);
  });
  const told = [...readSite(folder)].map(([path, content]) => {
    const isText = ['.html', '.js'].includes(extname(path));
    return [path, isText ? String(content).replaceAll(PROJECT, url) : content] as const;
  });
  return new Map(told);
}
