import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { findingsOf, svgTextContrasts } from '../support/accessibility.ts';
import { faultsOf } from '../support/layout.ts';
import { type Look, PAGE_STATES, type PageState, THEMES, visit } from '../support/page-states.ts';
import { pagesForTests } from '../support/pages.ts';

/** Colours do not depend on the width, and nothing else on the theme: two of the four pairs show all. */
const LOOKS: readonly Look[] = [
  { width: 390, theme: 'dark' },
  { width: 1280, theme: 'light' },
];
/** 640 is a window of 1280 at a zoom of 200 %, 320 one of 1280 at 400 %. */
const WIDTHS = [320, 360, 390, 640, 768, 1280, 1920] as const;
/** Widths for a state that changes a part of the open dashboard: the narrowest windows of a phone, a zoom and a desktop. */
const WIDTHS_OF_A_PART: readonly number[] = [320, 390, 640, 1280];
/**
 * Rules that are not decided by axe: a frame's content is the provider's, and it leaves contrast open in SVG, judged
 * below, and in rows scrolled away.
 */
const JUDGED = ['frame-tested', 'color-contrast'];
/** States with text in drawings: the dashboard's charts, the timeline with its reading, and the shortened signal. */
const CHARTS = ['dashboard', 'timeline-reading', 'input-missing'];
/** WCAG AA for text of any size. */
const LEAST_CONTRAST = 4.5;

const url = inject('demoUrl');
const fresh = pagesForTests();
/** The look in which each state is reached. */
const FIRST: Look = { width: 390, theme: 'dark' };
/** The state that a page is in, and that page: none after one that failed. */
let reached: { name: string; page: Page } | undefined;

async function setLook(page: Page, { width, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
}

/** A page in the state, from the one before it where it may go on from there, which spares a visit. */
async function pageIn(state: PageState): Promise<Page> {
  const before = reached;
  reached = undefined;
  if (before === undefined || before.name !== state.after) return visit(fresh, url, state, FIRST);
  const { page } = before;
  await setLook(page, FIRST);
  await state.step?.({ page, url });
  return page;
}

describe('every state of the page', () => {
  it.each(PAGE_STATES)(
    'has no violation that axe finds, and nothing that scrolls sideways, is clipped or overlaps: $name',
    async (state) => {
      const page = await pageIn(state);
      const isPart = state.changes !== undefined;
      for (const width of WIDTHS.filter((each) => !isPart || WIDTHS_OF_A_PART.includes(each))) {
        await page.setViewportSize({ width, height: 900 });
        expect(await faultsOf(page), `at ${width}`).toEqual([]);
        for (const { theme } of LOOKS.filter((look) => look.width === width)) {
          await page.emulateMedia({ colorScheme: theme });
          const { violations, undecided } = await findingsOf(page, state.changes);
          expect(violations, `${theme} at ${width}`).toEqual([]);
          expect(undecided.filter((rule) => !JUDGED.includes(rule))).toEqual([]);
        }
      }
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
