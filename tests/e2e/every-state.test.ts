import { describe, expect, inject, it } from 'vitest';
import { findingsOf } from '../support/axe.ts';
import { faultsOf } from '../support/layout-faults.ts';
import { PAGE_STATES, THEMES, visit } from '../support/page-states.ts';
import { pagesForTests } from '../support/shared-browser.ts';
import { svgTextContrasts } from '../support/svg-contrast.ts';

/** Colours do not depend on the width, and nothing else on the theme: two of the four pairs show all. */
const LOOKS = [
  { width: 390, theme: 'dark' },
  { width: 1280, theme: 'light' },
] as const;
/** 640 is a window of 1280 at a zoom of 200 %, 320 one of 1280 at 400 %. */
const WIDTHS = [320, 360, 390, 640, 768, 1280, 1920] as const;
/** What is in a frame is the provider's; contrast it leaves open in SVG, judged below, and in rows scrolled away. */
const JUDGED = ['frame-tested', 'color-contrast'];
/** WCAG AA for text of any size. */
const LEAST_CONTRAST = 4.5;

const url = inject('demoUrl');
const fresh = pagesForTests();

describe('every state of the page', () => {
  // One visit a state for both, since reaching it takes longer than looking at it.
  it.each(PAGE_STATES)(
    'has no violation that axe finds, and nothing that scrolls sideways, is clipped or overlaps: $name',
    async (state) => {
      const page = await visit(fresh, url, state, LOOKS[0]);
      for (const { width, theme } of LOOKS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: theme });
        const { violations, undecided } = await findingsOf(page);
        expect(violations, `${theme} at ${width}`).toEqual([]);
        expect(undecided.filter((rule) => !JUDGED.includes(rule))).toEqual([]);
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        expect(await faultsOf(page), `at ${width}`).toEqual([]);
      }
    },
  );
});

describe('text drawn in charts', () => {
  const drawn = PAGE_STATES.filter(({ name }) =>
    ['dashboard', 'timeline-reading', 'input-missing'].includes(name),
  );

  it.each(drawn)('keeps 4.5:1 in both themes in the state $name', async (state) => {
    const page = await visit(fresh, url, state, { theme: 'dark', width: 1280 });
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      const texts = await svgTextContrasts(page);
      expect(texts.length).toBeGreaterThan(5);
      expect(
        texts.filter(({ contrast }) => contrast < LEAST_CONTRAST),
        colorScheme,
      ).toEqual([]);
    }
  });
});
