import type { Page } from 'playwright-core';

/** Something that moved by itself: not within half a second of somebody's click or key. */
export interface Shift {
  value: number;
  /** What moved, each with its box before and after. */
  moved: string[];
}

interface ShiftEntry extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: readonly { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

declare global {
  interface Window {
    takeShifts: () => Shift[];
  }
}

/**
 * Has a page record its layout shifts from its first paint on; to be called before it goes anywhere. Disposing of
 * what it answers ends that.
 */
export function recordShifts(page: Page): ReturnType<Page['addInitScript']> {
  return page.addInitScript(() => {
    const shifts: Shift[] = [];
    const place = ({ x, y, width, height }: DOMRectReadOnly) => `${x},${y} ${width}x${height}`;
    const nameOf = (node: Node | null) =>
      node instanceof Element
        ? `${node.localName}.${node.getAttribute('class') ?? ''}`
        : String(node?.textContent);
    const keep = (entries: PerformanceEntry[]) => {
      for (const { value, hadRecentInput, sources } of entries as ShiftEntry[]) {
        if (hadRecentInput) continue;
        shifts.push({
          value,
          moved: sources.map(
            ({ node, previousRect, currentRect }) =>
              `${nameOf(node)}: ${place(previousRect)} → ${place(currentRect)}`,
          ),
        });
      }
    };
    const observer = new PerformanceObserver((list) => keep(list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    window.takeShifts = () => {
      keep(observer.takeRecords());
      return shifts.splice(0);
    };
  });
}

/** The shifts since the page began or since this was asked before, once nothing on the page is in motion. */
export async function shiftsOnceSettled(page: Page): Promise<Shift[]> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const inMotion = () =>
      document.querySelector('[data-counting=true], [data-entrance=start]') !== null ||
      document
        .getAnimations()
        .some((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
    // A bar begins to grow one frame after it came into view.
    await frame();
    do {
      await frame();
      await frame();
    } while (inMotion());
  });
  return page.evaluate(() => window.takeShifts());
}
