import type { Page } from 'playwright-core';

/**
 * Returns one sentence for each fault of the layout: a page that scrolls sideways, text that its box clips, or
 * overlapping controls. Without scripts the page is checked at once, because it has no animation frames.
 */
export async function faultsOf(page: Page, { hasScripts = true } = {}): Promise<string[]> {
  return page.evaluate(async (hasFrames) => {
    if (hasFrames) {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
    const faults: string[] = [];
    const nameOf = (element: Element) =>
      `${element.localName}.${element.getAttribute('class') ?? ''} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}"`;
    const shown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      element.closest('.visually-hidden, [aria-hidden=true]') === null;

    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      const wide = [...document.body.querySelectorAll('*')].filter(
        (element) => element.getBoundingClientRect().right > root.clientWidth + 0.5,
      );
      faults.push(`The page is ${root.scrollWidth} wide: ${wide.slice(0, 4).map(nameOf).join(', ')}`);
    }

    const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
    const boxOf = (box: Element) => {
      const { overflowX, overflowY, textOverflow, paddingBottom } = getComputedStyle(box);
      return {
        cutsX: hides(overflowX),
        // The title has the whole text.
        shortens: textOverflow === 'ellipsis' && box.hasAttribute('title'),
        cutsY: hides(overflowY),
        // A scrolling element makes its text reachable.
        scrolls: overflowX === 'auto' || overflowX === 'scroll',
        room: box.getBoundingClientRect(),
        // Space for outlines, which may reach over the next element.
        below: Number.parseFloat(paddingBottom),
      };
    };
    // Computes each box once, because the texts share their ancestors.
    const boxesOf = new Map<Element, ReturnType<typeof boxOf>>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (parent === null || node.textContent?.trim() === '' || !shown(parent)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      if (text.width === 0) continue;
      let isShortened = false;
      for (let box: Element | null = parent; box !== null && box !== document.body; box = box.parentElement) {
        const known = boxesOf.get(box) ?? boxOf(box);
        boxesOf.set(box, known);
        const { cutsX, cutsY, shortens, scrolls, room } = known;
        isShortened ||= shortens;
        const cut =
          (cutsX && !isShortened && (text.left < room.left - 1 || text.right > room.right + 1)) ||
          (cutsY && (text.top < room.top - 1 || text.bottom > room.bottom + 1));
        if (cut) faults.push(`${nameOf(box)} cuts off "${node.textContent?.trim()}"`);
        if (scrolls) break;
      }
      const beyond = parent.closest('svg') === null && (text.left < -1 || text.right > root.clientWidth + 1);
      if (beyond && !isShortened && parent.closest('.chart-rows') === null)
        faults.push(`"${node.textContent?.trim()}" leaves the window`);
    }

    const modal = document.querySelector('dialog:modal');
    const controls = [
      ...(modal ?? document).querySelectorAll('a[href], button, input, select, summary, [role=slider]'),
    ].filter(shown);
    const boxes = controls.map((element) => ({ element, box: visibleBoxOf(element) }));
    boxes.forEach(({ element, box }, index) => {
      for (const { element: other, box: otherBox } of boxes.slice(index + 1)) {
        const wide = Math.min(box.right, otherBox.right) - Math.max(box.left, otherBox.left);
        const high = Math.min(box.bottom, otherBox.bottom) - Math.max(box.top, otherBox.top);
        if (wide > 1 && high > 1 && !isOver(element, other)) {
          faults.push(
            `${nameOf(element)} and ${nameOf(other)} overlap by ${Math.round(wide)} by ${Math.round(high)}`,
          );
        }
      }
    });
    return faults;

    /** The part of a control that no scrolling element hides. */
    function visibleBoxOf(element: Element) {
      let { left, right, top, bottom } = element.getBoundingClientRect();
      for (let box = element.parentElement; box !== null && box !== root; box = box.parentElement) {
        const { scrolls, room, below } = boxesOf.get(box) ?? boxOf(box);
        if (!scrolls) continue;
        left = Math.max(left, room.left);
        right = Math.min(right, room.right);
        top = Math.max(top, room.top);
        bottom = Math.min(bottom, room.bottom - below);
      }
      return { left, right, top, bottom };
    }

    /** True if one element intentionally floats over the other. */
    function isOver(element: Element, other: Element): boolean {
      const layer = (part: Element) => part.closest('.notice, [popover]');
      return layer(element) !== layer(other);
    }
  }, hasScripts);
}

/** Least width and height of a touch target in pixels, for a control (WCAG 2.5.5) and for a mark in a row of text (WCAG 2.5.8). */
const LEAST = { control: 44, inText: 24 } as const;

/** Controls whose touch target, including its extension, is too small. A link in a sentence is as high as its line. */
export async function smallTargets(page: Page): Promise<string[]> {
  // The line that stays in view covers the header until the page is at its top.
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator('.sticky-line').waitFor({ state: 'detached' });
  return page.evaluate((least) => {
    const modal = document.querySelector('dialog:modal');
    const small: string[] = [];
    for (const element of (modal ?? document).querySelectorAll(
      'a[href], button, input, select, summary, [role=tab]',
    )) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      // Elements hidden from people have no size to click.
      if (element.closest('[aria-hidden=true]') !== null) continue;
      if (element.localName === 'a' && element.matches('p:not(.widget-attribution) a')) continue;
      const size = element.matches('.about, .widget-attribution a, .to-server')
        ? least.inText
        : least.control;
      // A tap on the label of a checkbox ticks the box.
      const target = element.closest('label') ?? element;
      element.scrollIntoView({ block: 'center' });
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const hits = (dx: number, dy: number) => target.contains(document.elementFromPoint(x + dx, y + dy));
      const reach = (dx: number, dy: number) => {
        let far = 0;
        while (far < size && hits(dx * (far + 1), dy * (far + 1))) far += 1;
        return far;
      };
      const wide = reach(-1, 0) + reach(1, 0) + 1;
      const high = reach(0, -1) + reach(0, 1) + 1;
      if (wide < size || high < size) {
        const name = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
        small.push(`${element.localName} "${name}": ${wide} by ${high}`);
      }
    }
    return small;
  }, LEAST);
}

/** A layout shift without a click or a key press in the last half second. */
export interface Shift {
  value: number;
  /** The moved elements with their boxes before and after the move. */
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
 * Makes a page record its layout shifts from its first paint on. Call it before the page navigates. Dispose of the
 * returned object to stop.
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

/** Returns the shifts since the start of the page or the last call, once nothing on the page is moving. */
export async function shiftsOnceSettled(page: Page): Promise<Shift[]> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const inMotion = () =>
      document.querySelector('[data-counting=true], [data-entrance=start]') !== null ||
      document
        .getAnimations()
        .some((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
    // A bar starts to grow one frame after it comes into view.
    await frame();
    do {
      await frame();
      await frame();
    } while (inMotion());
  });
  return page.evaluate(() => window.takeShifts());
}
