import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { launchBrowser } from './browser.ts';
import { type FreshPages, freshPages } from './fresh-pages.ts';
import {
  awaitWidgets,
  openDashboard,
  PAGE_STATES,
  type PageState,
  THEMES,
  type Theme,
  visit,
} from './page-states.ts';
import { startProduct, temporaryFolder } from './product.ts';

const WIDTHS = [360, 390, 768, 1280, 1920] as const;

/** States with pictures in both themes; the others have one in the dark theme. */
const IN_BOTH_THEMES = [
  'loading',
  'error',
  'dashboard',
  'timeline-reading',
  'advanced',
  'explanation',
  'dialog',
];

/** Additional widths and themes of the page. */
const LOOKS: readonly PageState[] = [
  { name: 'forced-colours', context: { forcedColors: 'active' }, open: openDashboard },
  {
    name: 'printed',
    open: async (place) => {
      await openDashboard(place);
      await place.page.emulateMedia({ media: 'print' });
    },
  },
  {
    name: 'no-script',
    context: { javaScriptEnabled: false },
    overlay: true,
    open: async ({ page, url }) => {
      await page.goto(url);
    },
  },
];

interface Picture {
  state: PageState;
  theme: Theme;
  width: number;
}

/** Takes pictures of the states in `wanted`, or of all of them, into the folder `screenshots`. */
export async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  const states = [...PAGE_STATES, ...LOOKS].filter(
    ({ name }) => wanted.length === 0 || wanted.includes(name),
  );
  const folder = join(ROOT, 'screenshots');
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const data = temporaryFolder();
  const [product, browser] = await Promise.all([startProduct(data.path), launchBrowser()]);
  const fresh = freshPages(browser);
  try {
    for (const state of states) {
      for (const theme of THEMES.filter((one) => one === 'dark' || IN_BOTH_THEMES.includes(state.name))) {
        for (const width of WIDTHS) {
          console.log(await take(fresh, product.url, folder, { state, theme, width }));
        }
      }
    }
  } finally {
    await browser.close();
    await product.stop();
    data.remove();
  }
}

/** Takes a picture and returns the name of its file. */
async function take(fresh: FreshPages, url: string, folder: string, picture: Picture): Promise<string> {
  const { state, theme, width } = picture;
  const page = await visit(fresh, url, state, picture);
  if (!state.overlay) await awaitWidgets(page);
  const name = `${state.name}-${theme}-${width}.png`;
  await page.screenshot({ path: join(folder, name), fullPage: !state.overlay });
  return name;
}
