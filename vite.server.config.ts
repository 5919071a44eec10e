import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { CSS_TARGET } from './scripts/page/css-target.ts';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Builds the server and the commands for Node. Packages stay in node_modules, except React, which is bundled. */
export default defineConfig({
  publicDir: false,
  // Bundles the production build of React, which renders many times as fast, whatever NODE_ENV is at run time.
  ssr: { noExternal: ['react', 'react-dom'] },
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  build: {
    ssr: true,
    outDir: fromHere('dist/server'),
    emptyOutDir: true,
    target: 'node20',
    cssTarget: CSS_TARGET,
    cssMinify: true,
    sourcemap: true,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        barometer: fromHere('src/cli/main.ts'),
        'draw-worker': fromHere('src/server/page/card/draw-worker.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
