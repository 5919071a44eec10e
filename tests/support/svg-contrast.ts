import type { Page } from 'playwright-core';

export interface SvgText {
  words: string;
  /** The least contrast of any of its letters with what is painted behind it. */
  contrast: number;
}

/**
 * The contrast of every text drawn in SVG with what lies behind it, which axe does not judge: the painted
 * colours at each letter, from the bottom up, with their opacities.
 */
export async function svgTextContrasts(page: Page): Promise<SvgText[]> {
  return page.evaluate(() => {
    type Colour = [number, number, number, number];
    // Shapes that let the pointer through are painted all the same.
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
