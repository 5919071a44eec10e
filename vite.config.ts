import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { CSS_TARGET } from './scripts/page/css-target.ts';
import { finishPage } from './scripts/page/finish-page.ts';
import { staticHeaders } from './scripts/page/static-headers.ts';
import { pageHeaders } from './src/server/http/security-headers.ts';
import { symbolsFault } from './src/web/panels/widgets/symbols.ts';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const MAIN = fromHere('src/web/main.tsx');
const READS = fromHere('src/web/app/reads.ts');

const PAGE = {
  markup: fromHere('src/web/page-markup.tsx'),
  earlyReads: fromHere('src/web/app/early-reads-entry.ts'),
  reads: READS,
  envDir: fromHere('.'),
};

type Imports = (module: string) => readonly string[];

/** Returns a module with everything that it imports, directly or not. */
function reachable(from: string, imports: Imports, found = new Set<string>()): Set<string> {
  if (found.has(from)) return found;
  found.add(from);
  for (const module of imports(from)) reachable(module, imports, found);
  return found;
}

/**
 * Puts everything that only the reads need into one chunk, although other parts share some of it. Those parts load
 * after the reads, and a file for each shared module would cost each visitor a request.
 */
function chunkOf(module: string, imports: Imports): string | null {
  if (!reachable(READS, imports).has(module)) return null;
  return reachable(MAIN, imports).has(module) ? null : 'reads';
}

/** Passes the list of the page's files to the service worker. */
function tellShell(): Plugin {
  return {
    name: 'tell-shell',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const worker = bundle['service-worker.js'];
        if (worker?.type !== 'chunk') throw new Error('The build has no service worker.');
        const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
        const build = createHash('sha256').update(assets.sort().join()).digest('base64url').slice(0, 12);
        worker.code = worker.code.replaceAll('__SHELL__', JSON.stringify({ assets, build }));
      },
    },
  };
}

const ANALYTICS = ['', 'vercel'];

/** Stops a build whose VITE_ANALYTICS is unknown. The setting selects the counter of page views. */
function checkAnalytics(): Plugin {
  return {
    name: 'check-analytics',
    configResolved({ env }) {
      const chosen: unknown = env.VITE_ANALYTICS ?? '';
      if (ANALYTICS.some((word) => word === chosen)) return;
      throw new Error(`VITE_ANALYTICS is "${chosen}"; it must be vercel, or empty for none.`);
    },
  };
}

/** Stops a build that names a backend without a valid address or without its key. */
function checkBackend(): Plugin {
  return {
    name: 'check-backend',
    configResolved({ env }) {
      const url = String(env.VITE_SUPABASE_URL ?? '').trim();
      const key = String(env.VITE_SUPABASE_ANON_KEY ?? '').trim();
      if (url !== '' && !(/^https?:\/\//i.test(url) && URL.canParse(url))) {
        throw new Error(
          `VITE_SUPABASE_URL is "${url}", which is not an http or https address. Set it to the address of the backend.`,
        );
      }
      if ((url === '') === (key === '')) return;
      const [missing, given] =
        key === ''
          ? ['VITE_SUPABASE_ANON_KEY', 'VITE_SUPABASE_URL']
          : ['VITE_SUPABASE_URL', 'VITE_SUPABASE_ANON_KEY'];
      throw new Error(`${given} is set and ${missing} is not. Set both for a static page, or neither.`);
    },
  };
}

/** Stops a build with invalid symbols for the price chart. */
function checkSymbols(): Plugin {
  return {
    name: 'check-symbols',
    configResolved({ env }) {
      const text = String(env.VITE_WIDGET_SYMBOLS ?? '').trim();
      const fault = text === '' ? null : symbolsFault('VITE_WIDGET_SYMBOLS', text);
      if (fault !== null) throw new Error(fault);
    },
  };
}

/** Stops a build in which a setting has another value than these two. The second one is the default. */
function checkWord(name: string, other: string, byDefault: string): Plugin {
  return {
    name: `check-${name}`,
    configResolved({ env }) {
      const word: unknown = env[name] ?? '';
      if (['', other, byDefault].some((known) => known === word)) return;
      throw new Error(
        `${name} is "${word}"; it must be ${other} or ${byDefault}, or empty for ${byDefault}.`,
      );
    },
  };
}

/** Files at addresses that do not change with their content. */
const UNHASHED = ['service-worker', 'record-walk'];

/** The page: a static site in dist/client, which the server serves and any host can. */
export default defineConfig({
  root: fromHere('src/web'),
  envDir: fromHere('.'),
  base: './',
  // React looks for these names of Node, and for a check of the bundler. Without that code the first load is smaller.
  define: {
    process: 'undefined',
    setImmediate: 'undefined',
    '__REACT_DEVTOOLS_GLOBAL_HOOK__.checkDCE': 'undefined',
  },
  plugins: [
    checkAnalytics(),
    checkBackend(),
    checkSymbols(),
    checkWord('VITE_SUBSCRIBE_CONFIRM', 'true', 'false'),
    checkWord('VITE_WIDGETS', 'own', 'tradingview'),
    finishPage(PAGE),
    tellShell(),
    staticHeaders(pageHeaders),
  ],
  build: {
    outDir: fromHere('dist/client'),
    emptyOutDir: true,
    target: 'es2022',
    // Every supported browser preloads modules itself.
    modulePreload: { polyfill: false },
    cssTarget: CSS_TARGET,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        index: fromHere('src/web/index.html'),
        // The file name has no digest, because the browser looks for a new service worker at the same address.
        'service-worker': fromHere('src/web/service-worker/service-worker.ts'),
        // The server renders the page that loads this file, and does not know its digest.
        'record-walk': fromHere('src/web/documents/record-walk.ts'),
      },
      output: {
        codeSplitting: {
          // Keep modules that the page also needs out of this chunk.
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: 'reads',
              name: (module, graph) => chunkOf(module, (id) => graph.getModuleInfo(id)?.importedIds ?? []),
            },
          ],
        },
        // The first script names all later files. Hexadecimal digits compress best.
        hashCharacters: 'hex',
        entryFileNames: ({ name }) => (UNHASHED.includes(name) ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
