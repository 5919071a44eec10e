import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ROOT } from '../../scripts/set-up.mjs';
import { launchBrowser } from './browser.ts';
import { PAGE_STATES, type PageState, THEMES, type Theme, visit } from './page-states.ts';
import { startProduct, temporaryFolder } from './product.ts';

const WIDTHS = [390, 768, 1280, 1920] as const;

interface Picture {
  state: PageState;
  theme: Theme;
  width: number;
}

/** Pictures of the states whose names `wanted` lists, or of all of them, into the folder `screenshots`. */
export async function takeScreenshots(wanted: readonly string[]): Promise<void> {
  const states = PAGE_STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const folder = join(ROOT, 'screenshots');
  if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const data = temporaryFolder();
  const product = await startProduct(data.path);
  try {
    const browser = await launchBrowser();
    for (const state of states) {
      for (const theme of THEMES) {
        for (const width of WIDTHS)
          console.log(await take(browser, product.url, folder, { state, theme, width }));
      }
    }
    await browser.close();
  } finally {
    await product.stop();
    data.remove();
  }
}

/** Answers the name of the picture it made. */
async function take(browser: Browser, url: string, folder: string, picture: Picture): Promise<string> {
  const { state, theme, width } = picture;
  const page = await visit(browser, url, state, picture);
  const name = `${state.name}-${theme}-${width}.png`;
  await page.screenshot({ path: join(folder, name), fullPage: !state.overlay });
  await page.context().close();
  return name;
}
