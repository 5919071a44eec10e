import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The page: a static site in dist/client, which the server serves and any host can. */
export default defineConfig({
  root: fileURLToPath(new URL('src/web', import.meta.url)),
  envDir: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  build: {
    outDir: fileURLToPath(new URL('dist/client', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The first of each with light-dark(), which would be written out at length for older ones.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5', 'ios17.5'],
    assetsInlineLimit: 0,
  },
});
