import type { TestProject } from 'vitest/node';
import { launchBrowserServer } from './browser.ts';

/** To start a browser costs a second of computing, so all test files share one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await launchBrowserServer();
  project.provide('browserAddress', server.wsEndpoint());
  return () => server.close();
}
