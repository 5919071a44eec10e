import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/{schema,domain,queries,views,web}/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'parts',
          include: ['src/{database,collector,mailer,server,cli}/**/*.test.ts', 'tests/*.test.ts'],
          globalSetup: ['tests/support/global-set-up.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/global-set-up.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
