import { defineConfig } from 'vitest/config';

// The server reads stylesheets as text; vitest would hand it empty ones.
const css = { include: [/\.css\?raw$/] };

// A module is loaded once a worker, not once a file, which takes a third of the time: no test file may leave one changed.
const isolate = false;

// What hangs is ended; what a busy machine takes ten times as long for is not (ms).
const PATIENCE = 300_000;
// What is polled is not there within the second it gets otherwise where the machine is busy.
const POLL = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
    // Most of a test's time is waiting for a browser or a database, so two cores keep three workers busy.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          isolate,
          include: ['src/{schema,domain,queries,views,web}/**/*.test.{ts,tsx}', 'bench/*.test.ts'],
          testTimeout: PATIENCE,
        },
      },
      {
        test: {
          name: 'parts',
          isolate,
          css,
          include: ['src/{database,collector,mailer,server,cli}/**/*.test.ts', 'tests/*.test.ts'],
          globalSetup: ['tests/support/global-set-up.ts'],
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
          expect: POLL,
        },
      },
      {
        test: {
          name: 'browser',
          isolate,
          css,
          include: ['tests/{e2e,attack}/**/*.test.ts'],
          globalSetup: [
            'tests/support/global-set-up.ts',
            'tests/support/browser-set-up.ts',
            'tests/support/demo-set-up.ts',
          ],
          setupFiles: ['tests/support/complaints-check.ts'],
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
          expect: POLL,
        },
      },
    ],
  },
});
