import type { WidgetColours } from './settings.ts';

/** Opacity of the area under a line: parts of 255 in hex. */
const FILL = '1f';
const NONE = '00';

/** Reads the page's growth and fall colours (`#rrggbb`). Call it only in a React effect, because it needs computed styles. */
export function widgetColours(): WidgetColours {
  const style = getComputedStyle(document.documentElement);
  const growth = style.getPropertyValue('--growth').trim();
  const fall = style.getPropertyValue('--fall').trim();
  return {
    growth,
    fall,
    growthFill: growth + FILL,
    fallFill: fall + FILL,
    none: growth + NONE,
  };
}
