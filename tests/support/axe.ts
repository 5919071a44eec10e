import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { AxeResults, Result } from 'axe-core';
import type { Page } from 'playwright-core';

/** Half as long as the source that the package hands out, and every page has to read it. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const describeResult = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`;

export interface Findings {
  violations: string[];
  /** The rules that left something to a person to judge. */
  undecided: string[];
}

/**
 * Runs all WCAG A and AA rules and the best practices of axe on the page, or on the elements that match `part`.
 * Throws when nothing matches.
 */
export async function findingsOf(page: Page, part = 'html'): Promise<Findings> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(SOURCE);
  const results = await page.evaluate(
    (selector): Promise<AxeResults> =>
      (window as unknown as { axe: typeof axe }).axe.run(selector, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
        resultTypes: ['violations', 'incomplete'],
        // An element is told by its markup; a selector that is its alone would be sought for each that was looked at.
        selectors: false,
        // What a frame of the charting provider holds is its own.
        iframes: false,
      }),
    part,
  );
  return {
    violations: results.violations.map(describeResult),
    undecided: results.incomplete.map(({ id }) => id),
  };
}
