import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';

export interface TabStop {
  /** Its role and name, as 'button Refresh'. */
  what: string;
  /** Whether an outline of at least two pixels tells that it has the focus. */
  outlined: boolean;
  /** Whether it is in the window, and nothing lies over its middle. */
  seen: boolean;
  /** Where it is in the page, in pixels. */
  box: { left: number; top: number; right: number; bottom: number };
}

/** What has the focus, or null when that is the page itself. */
export async function focused(page: Page): Promise<TabStop | null> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return null;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2];
    const top = document.elementFromPoint(x, y);
    const labelled = element.getAttribute('aria-labelledby');
    const name =
      element.getAttribute('aria-label') ??
      (labelled && document.getElementById(labelled)?.textContent) ??
      element.getAttribute('title') ??
      (element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : element.textContent) ??
      '';
    // A control that lies unseen over its picture is outlined there.
    const drawn = [element, element.parentElement]
      .filter((part) => part !== null)
      .map((part) => getComputedStyle(part));
    return {
      what: `${element.getAttribute('role') ?? element.localName} ${name.trim()}`.replaceAll(/\s+/g, ' '),
      outlined:
        style.visibility === 'visible' &&
        drawn.some(
          ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
        ),
      seen: top !== null && (element.contains(top) || top.contains(element)),
      box: { left: box.left, top: box.top + scrollY, right: box.right, bottom: box.bottom + scrollY },
    };
  });
}

/** Every stop of the tab key from the top of the page to its end, frames left out. */
export async function tabStops(page: Page): Promise<TabStop[]> {
  const stops: TabStop[] = [];
  await page.evaluate(() => {
    // Where the focus was the tab key would go on, even from what has it no more.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    scrollTo(0, 0);
  });
  for (let press = 0; press < 200; press += 1) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    // Past its end the page begins anew; in between a frame that loads may have no focus to tell of.
    if (stop !== null && stops[0] !== undefined && isDeepStrictEqual(stop.box, stops[0].box)) break;
    if (stop !== null && !stop.what.startsWith('iframe')) stops.push(stop);
  }
  return stops;
}

/** Whether a reader comes to `next` after `stop`: it is below, or to the right of it. */
export function follows({ box: stop }: TabStop, { box: next }: TabStop): boolean {
  const wholeAbove = next.bottom <= stop.top;
  const inOneRow = next.top < stop.bottom && stop.top < next.bottom;
  if (wholeAbove) return next.left >= stop.right;
  return !inOneRow || next.left >= stop.left;
}

/** Presses the tab key until the element with this role and name has the focus. */
export async function tabTo(page: Page, what: string | RegExp): Promise<void> {
  const is = (name: string) => (typeof what === 'string' ? name === what : what.test(name));
  for (let press = 0; press < 200; press += 1) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    if (stop !== null && is(stop.what)) return;
  }
  throw new Error(`The tab key does not reach ${what}.`);
}
