import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The server reads stylesheets as text; vitest would hand it empty ones.
const css = { include: [/\.css\?raw$/] };

// A module is loaded once a worker, not once a file, which takes a third of the time: no test file may leave one changed.
const isolate = false;

// What hangs is ended; what a busy machine takes ten times as long for is not (ms).
const PATIENCE = 300_000;
// Patience costs nothing where a test passes: no test sets a shorter one.
const POLL = { poll: { timeout: PATIENCE / 2 } };

// A worker ends before the database's engine gains by being compiled for speed, which is much of what its start costs.
const execArgv = ['--liftoff-only'];

/** Big files begin first; these are small and take long, and one worker would be left with them at the end. */
const LONG =
  /\/(live-kills|durability|many-processes|months-of-runs|two-containers|weekly-signal)\.test\.ts$/;

class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...new Set(sorted.map(({ project }) => project))].flatMap((each) => {
      const own = sorted.filter(({ project }) => project === each);
      return [...own.filter(isLong), ...own.filter((specification) => !isLong(specification))];
    });
  }
}

export default defineConfig({
  test: {
    // Most of a test's time is waiting for a browser or a database, so two cores keep three workers busy.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
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
          execArgv,
          css,
          include: ['src/{database,collector,mailer,server,cli}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['tests/{e2e,attack}/**'],
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
          execArgv,
          css,
          include: ['tests/{e2e,attack}/**/*.test.ts'],
          globalSetup: ['tests/support/global-set-up.ts', 'tests/support/browser-set-up.ts'],
          setupFiles: ['tests/support/complaints-check.ts'],
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
          expect: POLL,
        },
      },
    ],
  },
});
