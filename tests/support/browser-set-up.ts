import type { TestProject } from 'vitest/node';
import { launchBrowserServer } from './browser.ts';
import { copyDemonstration } from './demonstration.ts';
import { startProduct, temporaryFolder } from './product.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the browser that all test files share: starting one costs a second of CPU time. */
    browserAddress: string;
    /** Address of a shared server with demonstration data, for tests that neither stop it nor count its rows. */
    demoUrl: string;
  }
}

/** Starts the shared parts of all browser tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = temporaryFolder();
  await copyDemonstration(data.path);
  const [browser, product] = await Promise.all([launchBrowserServer(), startProduct(data.path)]);
  project.provide('browserAddress', browser.wsEndpoint());
  project.provide('demoUrl', product.url);
  return async () => {
    await Promise.all([browser.close(), product.stop()]);
    data.remove();
  };
}
