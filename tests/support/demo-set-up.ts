import type { TestProject } from 'vitest/node';
import { copyDemonstration } from './demonstration.ts';
import { startProduct, temporaryFolder } from './product.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the product serves its demonstration data, filled once for all tests that only look at it. */
    demoUrl: string;
  }
}

/** A product of one's own costs seconds of computing, so tests that neither stop it nor count rows share one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = temporaryFolder();
  await copyDemonstration(data.path);
  const product = await startProduct(data.path);
  project.provide('demoUrl', product.url);
  return async () => {
    await product.stop();
    data.remove();
  };
}
