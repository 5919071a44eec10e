import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// The server imports stylesheets as text. Without this option vitest replaces them by empty texts.
const css = { include: [/\.css\?(?:raw|inline)$/] };

// Load each module once per worker instead of once per file, which takes a third of the time. No test file may change a
// module.
const isolate = false;

// Time limit of a test, long enough for a machine that is busy with other programs (ms).
const PATIENCE = 300_000;
// Time limit of polling. A long limit takes no time when a test passes, so no test sets a shorter limit.
const POLL = { poll: { timeout: PATIENCE / 2 } };

// Do not optimize WebAssembly: a worker ends before it gains from that.
const execArgv = ['--liftoff-only'];

// Tests use the production build of React, as the product does, because it renders a page much faster.
const env = { NODE_ENV: 'production' };
const oxc = { jsx: { runtime: 'automatic', development: false } } as const;

/**
 * Small files with long tests, which start first. Vitest starts big files first, and one worker would be left with
 * these at the end.
 */
const LONG = [
  ...['live-kills.proof', 'durability.proof', 'months-of-runs.proof'],
  ...['two-containers.proof', 'weekly-signal.proof', 'every-state.proof', 'layout-shift.proof'],
  ...['dashboard', 'dashboard.proof', 'postgrest.proof', 'live.proof', 'embedded.proof'],
  ...['commands', 'keyboard'],
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

const PROOF = 'proof.test.ts';
/** Folders of browser tests. */
const IN_BROWSER = 'tests/{e2e,attack}/**';

/** Options of tests that use the built product. */
const product = {
  isolate,
  env,
  execArgv,
  css,
  globalSetup: ['tests/support/global-set-up.ts'],
  testTimeout: PATIENCE,
  hookTimeout: PATIENCE,
  expect: POLL,
};
const inBrowser = {
  ...product,
  globalSetup: [...product.globalSetup, 'tests/support/browser-set-up.ts'],
  setupFiles: ['tests/support/complaints-check.ts'],
};

export default defineConfig({
  test: {
    // A third of a test's time is waiting for a browser, a database or a process, so two cores keep four workers busy.
    maxWorkers: 4,
    // Longer than the teardown waits for the last Postgres to end (ms).
    teardownTimeout: 60_000,
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
          ...product,
          name: 'parts',
          include: ['src/{database,collector,record,mailer,server,cli}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [IN_BROWSER, `**/*.${PROOF}`],
        },
      },
      {
        oxc,
        test: {
          ...inBrowser,
          name: 'browser',
          include: [`${IN_BROWSER}/*.test.ts`],
          exclude: [`**/*.${PROOF}`],
        },
      },
      // Long tests, which `npm run proofs` runs.
      {
        oxc,
        test: { ...product, name: 'proofs', include: [`{src,tests}/**/*.${PROOF}`], exclude: [IN_BROWSER] },
      },
      { oxc, test: { ...inBrowser, name: 'browser-proofs', include: [`${IN_BROWSER}/*.${PROOF}`] } },
    ],
  },
});
