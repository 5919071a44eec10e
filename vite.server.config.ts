import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The server and the commands, for Node; packages stay in node_modules, but for the one that is two. */
export default defineConfig({
  publicDir: false,
  // React is its production build, which renders many times as fast, with any NODE_ENV at run time.
  ssr: { noExternal: ['react', 'react-dom'] },
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  build: {
    ssr: true,
    outDir: fromHere('dist/server'),
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      input: {
        barometer: fromHere('src/cli/main.ts'),
        'draw-worker': fromHere('src/server/page/card/draw-worker.ts'),
        'embedded-worker': fromHere('src/database/embedded/worker.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
