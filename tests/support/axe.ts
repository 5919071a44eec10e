import axe, { type AxeResults, type Result } from 'axe-core';
import type { Page } from 'playwright-core';

const describeResult = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map((node) => node.target.join(' ')).join(', ')})`;

export interface Findings {
  violations: string[];
  /** The rules that left something to a person to judge. */
  undecided: string[];
}

/** Runs every rule of axe that is about what a visitor meets, best practices included, on the page as it is. */
export async function findingsOf(page: Page): Promise<Findings> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(
    (): Promise<AxeResults> =>
      (window as unknown as { axe: typeof axe }).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        resultTypes: ['violations', 'incomplete'],
        // What a frame of the charting provider holds is its own.
        iframes: false,
      }),
  );
  return {
    violations: results.violations.map(describeResult),
    undecided: results.incomplete.map(({ id }) => id),
  };
}
