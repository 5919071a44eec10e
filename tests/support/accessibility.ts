import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type axe from 'axe-core';
import type { AxeResults, Result } from 'axe-core';
import type { Page } from 'playwright-core';

/** The minified axe is half as long as the package's default source, and every page has to parse it. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const describeResult = ({ id, help, nodes }: Result): string =>
  `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`;

export interface Findings {
  violations: string[];
  /** Rules whose result axe leaves to a person. */
  undecided: string[];
}

/**
 * Runs all WCAG A and AA rules and axe's best practices on the page, or on the elements that match `part`. Throws if
 * nothing matches.
 */
export async function findingsOf(page: Page, part = 'html'): Promise<Findings> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(SOURCE);
  const results = await page.evaluate(async (selector): Promise<AxeResults> => {
    // axe does not know the top layer: for it, a link behind an open note covers the buttons of the note.
    const alone = new CSSStyleSheet();
    if (selector.endsWith(':popover-open'))
      alone.replaceSync('body { visibility: hidden; } :popover-open { visibility: visible; }');
    document.adoptedStyleSheets.push(alone);
    const found = await (window as unknown as { axe: typeof axe }).axe.run(selector, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations', 'incomplete'],
      // Identify elements by their markup: axe would search a unique selector for each element it checks.
      selectors: false,
      // The content of the provider's frames is not part of our page.
      iframes: false,
    });
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== alone);
    return found;
  }, part);
  return {
    violations: results.violations.map(describeResult),
    undecided: results.incomplete.map(({ id }) => id),
  };
}

export interface SvgText {
  words: string;
  /** The lowest contrast between a letter and the colours behind it. */
  contrast: number;
}

/**
 * The contrast of every SVG text with its background, which axe does not judge: composes the colours at each letter,
 * from the bottom up, with their opacities.
 */
export async function svgTextContrasts(page: Page): Promise<SvgText[]> {
  return page.evaluate(() => {
    type Colour = [number, number, number, number];
    // Shapes with `pointer-events: none` are painted all the same.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { pointer-events: auto !important; }');
    document.adoptedStyleSheets.push(sheet);

    const canvas = document.createElement('canvas');
    canvas.width = 1;
    canvas.height = 1;
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    const read = (css: string): Colour => {
      if (pen === null || css === 'none') return [0, 0, 0, 0];
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = pen.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const opacityOf = (element: Element | null): number =>
      element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);
    const paintOf = (element: Element): Colour => {
      const style = getComputedStyle(element);
      const drawn = element instanceof SVGGeometryElement;
      const css = drawn ? style.fill : element instanceof SVGElement ? 'none' : style.backgroundColor;
      const [r, g, b, a] = read(css);
      return [r, g, b, a * opacityOf(element)];
    };
    const over = ([r, g, b, a]: Colour, [red, green, blue]: Colour): Colour => [
      r * a + red * (1 - a),
      g * a + green * (1 - a),
      b * a + blue * (1 - a),
      1,
    ];
    const luminance = ([r, g, b]: Colour): number => {
      const [red = 0, green = 0, blue = 0] = [r, g, b].map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };

    const found: SvgText[] = [];
    for (const text of document.querySelectorAll<SVGTextElement>('svg text')) {
      const matrix = text.getScreenCTM();
      if (text.getClientRects().length === 0 || matrix === null) continue;
      text.scrollIntoView({ block: 'center' });
      const toScreen = text.getScreenCTM() ?? matrix;
      let least = 21;
      for (let index = 0; index < text.getNumberOfChars(); index += 1) {
        const box = text.getExtentOfChar(index);
        const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(toScreen);
        const stack = document.elementsFromPoint(at.x, at.y);
        const own = stack.findIndex((element) => text.contains(element));
        const behind = stack.slice(own + 1).reverse();
        const ground = behind.reduce<Colour>(
          (below, element) => over(paintOf(element), below),
          [255, 255, 255, 1],
        );
        const letter = stack[own] ?? text;
        const [r, g, b, a] = read(getComputedStyle(letter).fill);
        const ink = over([r, g, b, a * opacityOf(letter)], ground);
        const [light = 0, dark = 0] = [luminance(ink), luminance(ground)].sort((x, y) => y - x);
        least = Math.min(least, (light + 0.05) / (dark + 0.05));
      }
      found.push({ words: text.textContent.trim(), contrast: Math.round(least * 100) / 100 });
    }
    document.adoptedStyleSheets.pop();
    return found;
  });
}

export interface TabStop {
  /** Role and name, such as 'button Refresh'. */
  what: string;
  /** True if an outline of at least two pixels shows the focus. */
  outlined: boolean;
  /** True if the element is inside the window and its centre is not covered. */
  seen: boolean;
  /** The element's position in the page (px). */
  box: { left: number; top: number; right: number; bottom: number };
}

/** The focused element, or null if it is the page itself. */
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
    // An invisible control that covers a picture shows its focus outline on that picture, its parent element.
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

/** Every tab stop from the top of the page to its end, without frames. */
export async function tabStops(page: Page): Promise<TabStop[]> {
  const stops: TabStop[] = [];
  await page.evaluate(() => {
    // The tab key would continue from the last focused element, even after that lost the focus.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    scrollTo(0, 0);
  });
  for (let press = 0; press < 200; press += 1) {
    await page.keyboard.press('Tab');
    const stop = await focused(page);
    // After the end the page starts again. In between, a loading frame may report no focus.
    if (stop !== null && stops[0] !== undefined && isDeepStrictEqual(stop.box, stops[0].box)) break;
    if (stop !== null && !stop.what.startsWith('iframe')) stops.push(stop);
  }
  return stops;
}

/** True if `next` follows `stop` in reading order: it is below, or to the right of it. */
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
