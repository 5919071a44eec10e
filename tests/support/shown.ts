import type { Locator, Page } from 'playwright-core';

/** A piece of text on the page, with its hue and that of the mark beside it, if any. */
export interface Shown {
  text: string;
  hue: Hue;
  mark: Hue | null;
}

export type Hue = 'grey' | 'red' | 'orange' | 'yellow' | 'lime' | 'green' | 'other';

/** The section of the page whose heading starts with the given words. */
export const section = (page: Page, heading: string): Locator =>
  page.getByRole('region', { name: heading }).first();

/* Runs in the page, so it must be a single function. The part of a name is the smallest element with the name and a
   number or a dash, so it does not depend on the markup. */
function readInPage(
  places: Element | readonly Element[],
  names: readonly string[] | null,
): Record<string, Shown[]>[] {
  const hueOf = (colour: string): Hue => {
    const numbers = (colour.match(/-?[\d.]+/g) ?? []).map(Number);
    const scale = colour.startsWith('color(') ? 1 : 255;
    const [red = 0, green = 0, blue = 0] = numbers.map((number) => number / scale);
    const most = Math.max(red, green, blue);
    const chroma = most - Math.min(red, green, blue);
    if (chroma < 0.2) return 'grey';
    const sixth =
      most === red
        ? (green - blue) / chroma
        : most === green
          ? 2 + (blue - red) / chroma
          : 4 + (red - green) / chroma;
    const degrees = (sixth * 60 + 360) % 360;
    if (degrees < 12 || degrees >= 345) return 'red';
    if (degrees < 38) return 'orange';
    if (degrees < 65) return 'yellow';
    if (degrees < 130) return 'lime';
    return degrees < 185 ? 'green' : 'other';
  };
  const ownText = (element: Element): string =>
    [...element.childNodes]
      // A number and its unit are one text, even if the unit has a lighter style.
      .filter((node) => node.nodeType === Node.TEXT_NODE || (node as Element).matches?.('.unit'))
      .map((node) => node.textContent ?? '')
      .join('')
      .replace(/\s+/g, ' ')
      .trim();
  const dotOf = (status: Element | null) =>
    status?.matches('.status') ? hueOf(getComputedStyle(status, '::before').borderTopColor) : null;
  const shownIn = (part: Element): Shown[] =>
    [part, ...part.querySelectorAll(':not(.unit)')].flatMap((element) => {
      const text = ownText(element);
      if (text === '') return [];
      const style = getComputedStyle(element);
      const mark = element.parentElement?.querySelector(':scope > svg > *');
      return [
        {
          text,
          hue: hueOf(element instanceof SVGElement ? style.fill : style.color),
          mark: mark ? hueOf(getComputedStyle(mark).fill) : dotOf(element.parentElement),
        },
      ];
    });
  const isValue = ({ text }: Shown) => /^(—|[+−]?[\d,.]+ ?%?)$/.test(text);
  return [places].flat().map((root) => {
    if (names === null) return { '': shownIn(root) };
    const readings: Record<string, Shown[]> = {};
    const labels = [...root.querySelectorAll('*')];
    for (const name of names) {
      let part: Element | null | undefined = labels.find((element) => ownText(element) === name);
      while (part && part !== root && !shownIn(part).some(isValue)) part = part.parentElement;
      readings[name] = part && part !== root ? shownIn(part) : [];
    }
    return readings;
  });
}

/** Every piece of text in a part of the page, in order. */
export async function shownIn(place: Locator): Promise<Shown[]> {
  return (await place.evaluate(readInPage, null))[0]?.[''] ?? [];
}

/** The pieces of text of each part, in order. */
export async function shownInEach(places: Locator): Promise<Shown[][]> {
  return (await places.evaluateAll(readInPage, null)).map((shown) => shown[''] ?? []);
}

/** The values that a part of the page shows under each name; empty for a missing name. */
export async function readingsIn<Name extends string>(
  place: Locator,
  names: readonly Name[],
): Promise<Record<Name, Shown[]>> {
  return (await place.evaluate(readInPage, names))[0] as Record<Name, Shown[]>;
}

/** The texts without their hues. */
export const texts = (shown: readonly Shown[]): string[] => shown.map(({ text }) => text);

/** The pieces of text that equal one of the words. */
export const wordsOf = (shown: readonly Shown[], words: readonly string[]): string[] =>
  texts(shown).filter((text) => words.includes(text));
