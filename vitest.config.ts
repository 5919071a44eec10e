import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The server reads stylesheets as text; vitest would hand it empty ones.
const css = { include: [/\.css\?raw$/] };

// A module is loaded once a worker, not once a file, which takes a third of the time: no test file may leave one changed.
const isolate = false;

// Long enough for a machine that is busy with something else (ms).
const PATIENCE = 300_000;
// The timeout costs nothing when a test passes: no test sets a shorter one.
const POLL = { poll: { timeout: PATIENCE / 2 } };

// A worker ends before it gains from optimized WebAssembly, and compiling the database engine is most of its start.
const execArgv = ['--liftoff-only'];

// React's production build, as in the product: a page takes a fraction of the time to render.
const env = { NODE_ENV: 'production' };
const oxc = { jsx: { runtime: 'automatic', development: false } } as const;

/** Files that are small and take long. Vitest starts big files first, and one worker would be left with these at the end. */
const LONG = [
  ...[
    'live-kills',
    'durability',
    'many-processes',
    'months-of-runs',
    'two-containers',
    'weekly-signal',
    'commands',
  ],
  ...['live', 'every-state', 'layout-shift', 'dashboard', 'embedded', 'postgrest'],
].map((name) => `/${name}.test.ts`);

class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(specifications);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((end) => moduleId.endsWith(end));
    return [...new Set(sorted.map(({ project }) => project))].flatMap((each) => {
      const own = sorted.filter(({ project }) => project === each);
      return [...own.filter(isLong), ...own.filter((specification) => !isLong(specification))];
    });
  }
}

export default defineConfig({
  test: {
    // A third of a test's time is waiting for a browser, a database or a process, so two cores keep four workers busy.
    maxWorkers: 4,
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
        oxc,
        test: {
          name: 'parts',
          isolate,
          env,
          execArgv,
          css,
          include: ['src/{database,collector,record,mailer,server,cli}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: ['tests/{e2e,attack}/**'],
          globalSetup: ['tests/support/global-set-up.ts'],
          testTimeout: PATIENCE,
          hookTimeout: PATIENCE,
          expect: POLL,
        },
      },
      {
        oxc,
        test: {
          name: 'browser',
          isolate,
          env,
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
