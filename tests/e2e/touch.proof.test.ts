import { describe, expect, inject, it } from 'vitest';
import { smallTargets } from '../support/layout.ts';
import { PAGE_STATES, visit } from '../support/page-states.ts';
import { pagesForTests } from '../support/pages.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();

describe('the page on a touch screen', () => {
  it.each([
    'dashboard',
    'timeline-table',
    'advanced',
    'dialog',
    'refresh-failed',
    'error',
    'widgets-blocked',
  ])('every control is 44 pixels high and wide, and a mark in a row of text 24: %s', async (name) => {
    const state = PAGE_STATES.find((one) => one.name === name);
    if (state === undefined) throw new Error(`There is no state ${name}.`);
    const touch = { ...state, context: { ...state.context, hasTouch: true, isMobile: true } };
    const page = await visit(fresh, url, touch, { theme: 'light', width: 390 });
    expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true);
    expect(await smallTargets(page)).toEqual([]);
  });
});
