import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { findingsOf, svgTextContrasts } from '../support/accessibility.ts';
import { faultsOf } from '../support/layout.ts';
import { type Look, PAGE_STATES, type PageState, THEMES, visit } from '../support/page-states.ts';
import { pagesForTests } from '../support/pages.ts';

/**
 * Two of the four pairs of width and theme are enough: colours do not depend on the width, and nothing but colours
 * depends on the theme.
 */
const LOOKS: readonly Look[] = [
  { width: 390, theme: 'dark' },
  { width: 1280, theme: 'light' },
];
/** A window of 1280 is 640 wide at a zoom of 200 %, and 320 wide at 400 %. */
const WIDTHS = [320, 360, 390, 640, 768, 1024, 1280, 1920] as const;
/** Widths for a state that changes a part of the open dashboard: the narrowest windows of a phone, a zoom and a desktop. */
const WIDTHS_OF_A_PART: readonly number[] = [320, 390, 640, 1280];
/**
 * Rules that axe cannot judge: frames have the content of the provider, and contrast is left open in SVG (checked
 * below) and in rows that are scrolled out of view.
 */
const JUDGED = ['frame-tested', 'color-contrast'];
/** States with text in drawings: the dashboard's charts, the timeline with its reading, and the shortened signal. */
const CHARTS = ['dashboard', 'timeline-reading', 'input-missing'];
/** Width of a sheet of A4 without its margins. */
const PAPER = 688;
/** Minimum contrast of text of any size by WCAG AA. */
const LEAST_CONTRAST = 4.5;

const url = inject('demoUrl');
const fresh = pagesForTests();
/** Width and theme in which each state is reached. */
const FIRST: Look = { width: 390, theme: 'dark' };
/** The page and its current state; undefined after a failure. */
let reached: { name: string; page: Page } | undefined;

async function setLook(page: Page, { width, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
}

/** Returns a page in the state. Continues from the previous page if possible, which saves a visit. */
async function pageIn(state: PageState): Promise<Page> {
  const before = reached;
  reached = undefined;
  if (before === undefined || before.name !== state.after) return visit(fresh, url, state, FIRST);
  const { page } = before;
  await setLook(page, FIRST);
  await state.step?.({ page, url });
  return page;
}

const setTextSize = (page: Page, fontSize: string) =>
  page.evaluate((size) => {
    document.documentElement.style.fontSize = size;
  }, fontSize);

/** Waits until the page has no fault: on a busy machine the browser may apply a container query some frames late. */
const expectNoFaults = (page: Page, look: string) =>
  expect.poll(() => faultsOf(page), { message: look }).toEqual([]);

describe('every state of the page', () => {
  it.each(PAGE_STATES)(
    'has no axe violation, and shows all content in any window, in large text and in print: $name',
    async (state) => {
      const page = await pageIn(state);
      const isPart = state.changes !== undefined;
      for (const width of WIDTHS.filter((each) => !isPart || WIDTHS_OF_A_PART.includes(each))) {
        await page.setViewportSize({ width, height: 900 });
        await expectNoFaults(page, `at ${width}`);
        for (const { theme } of LOOKS.filter((look) => look.width === width)) {
          await page.emulateMedia({ colorScheme: theme });
          const { violations, undecided } = await findingsOf(page, state.changes);
          expect(violations, `${theme} at ${width}`).toEqual([]);
          expect(undecided.filter((rule) => !JUDGED.includes(rule))).toEqual([]);
        }
      }
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await setTextSize(page, '200%');
        await expectNoFaults(page, `with text of 200 % at ${width}`);
        await setTextSize(page, '');
      }
      await page.setViewportSize({ width: PAPER, height: 900 });
      await page.emulateMedia({ media: 'print' });
      await expectNoFaults(page, 'in print');
      await page.emulateMedia({ media: null });
      for (const theme of CHARTS.includes(state.name) ? THEMES : []) {
        await setLook(page, { width: 1280, theme });
        const texts = await svgTextContrasts(page);
        expect(texts.length, 'texts drawn in charts').toBeGreaterThan(5);
        const faint = texts.filter(({ contrast }) => contrast < LEAST_CONTRAST);
        expect(faint, `texts drawn in charts, ${theme}`).toEqual([]);
      }
      reached = { name: state.name, page };
    },
  );
});
