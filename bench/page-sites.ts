import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readSite } from '#tests/support/static-host.ts';
import { type AtEnd, temporaryFolder } from './ends.ts';
import { startStaticHost } from './page-static-host.ts';
import { startProduct } from './product.ts';

const PATIENCE_S = 60;

/** Addresses of the same page with the same data, served in three ways. */
export interface Sites {
  /** The page from Barometer, with its data. */
  readonly rendered: string;
  /** A page without data, from the same origin as its backend. */
  readonly clientRendered: string;
  /** A page without data, from a static host; its backend is another server. */
  readonly staticBuild: string;
}

/** Builds the page as a static site with its backend, as in docs/operations.md. */
function buildStatic(folder: string, backend: string, anonKey: string): string {
  const vite = resolve('node_modules', 'vite', 'bin', 'vite.js');
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    NODE_ENV: 'production',
    VITE_SUPABASE_URL: backend,
    VITE_SUPABASE_ANON_KEY: anonKey,
  };
  const parameters = [vite, 'build', '--logLevel', 'error', '--outDir', folder, '--emptyOutDir'];
  const { status } = spawnSync(process.execPath, parameters, { env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The static build failed. The lines above have the error.');
  return folder;
}

/** Waits until the server renders the page with its data. */
async function rendered(url: string): Promise<string> {
  for (let tried = 0; tried < PATIENCE_S; tried++) {
    if ((await (await fetch(url)).text()).includes('id="barometer-data"')) return url;
    await setTimeout(1000);
  }
  throw new Error(`${url} has no page with data.`);
}

/** Starts the built product with its demonstration data, and two static sites over it. */
export async function openSites(atEnd: AtEnd): Promise<Sites> {
  const folder = temporaryFolder(atEnd);
  const product = await startProduct(join(folder, 'data'), atEnd);
  const together = await startStaticHost(product.url);
  atEnd(together.close);
  together.serve(readSite(buildStatic(join(folder, 'together'), together.url, product.apikey)));
  const apart = await startStaticHost(null);
  atEnd(apart.close);
  apart.serve(readSite(buildStatic(join(folder, 'apart'), product.url, product.apikey)));
  return {
    rendered: await rendered(product.url),
    clientRendered: together.url,
    staticBuild: apart.url,
  };
}
