import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/set-up.mjs';
import { launchBrowser } from './browser.ts';
import { documentStates } from './document-states.ts';
import { type FreshPages, freshPages } from './fresh-pages.ts';
import { awaitWidgets, openDashboard, PAGE_STATES, type PageState, THEMES, visit } from './page-states.ts';
import { startProduct, temporaryFolder } from './product.ts';

const WIDTHS = [360, 390, 640, 768, 1024, 1280, 1600, 1920] as const;
const HEIGHT = 900;
/** The browser cannot take a higher picture. */
const MOST_HEIGHT = 16_000;
const FOLDER = join(ROOT, 'screenshots');
/** Width and theme in which each state is reached. */
const FIRST = { width: 1280, theme: 'dark', height: HEIGHT } as const;

/** Additional looks of the page. */
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

/** A build of the product, whose pictures go into a folder of their own. */
export interface Build {
  /** Name of the folder in `screenshots`. */
  readonly name: 'before' | 'after';
  /** Name of the checkout for people, such as a commit. */
  readonly title: string;
  /** Folder of the checkout. */
  readonly root: string;
  /** HTML of pages that have no address of their own, such as mails, by name of the state. */
  readonly samples: Readonly<Record<string, string>>;
}

/** A build that serves its pages. */
interface Running {
  readonly build: Build;
  readonly url: string;
  readonly fresh: FreshPages;
  readonly stop: () => Promise<void>;
}

async function start(build: Build): Promise<Running> {
  const data = temporaryFolder();
  const product = await startProduct(data.path, {}, join(build.root, 'dist', 'server', 'barometer.js'));
  const browser = await launchBrowser();
  const stop = async () => {
    await browser.close();
    await product.stop();
    data.remove();
  };
  return { build, url: product.url, fresh: freshPages(browser), stop };
}

function statesOf({ samples }: Build, now: number): PageState[] {
  const sampleStates = Object.entries(samples).map(([name, html]) => ({
    name,
    open: async ({ page }: { page: Page }) => {
      await page.goto('about:blank');
      await page.setContent(html);
    },
  }));
  return [...PAGE_STATES, ...LOOKS, ...documentStates(now), ...sampleStates];
}

const PICTURES = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })));

const fileOf = (name: string, { theme, width }: (typeof PICTURES)[number]) => `${name}-${theme}-${width}.png`;

/** True if every chart in view has its drawing. Runs in the page. */
function drawnInView(): boolean {
  return [...document.querySelectorAll('.widget-place')].every((place) => {
    const { top, bottom } = place.getBoundingClientRect();
    return bottom < 0 || top > innerHeight || place.querySelector('.own-drawing, .own-words') !== null;
  });
}

/** Takes the pictures of a state at every width in both themes. Throws if the build does not have the state. */
async function take({ build, url, fresh }: Running, state: PageState, folder: string): Promise<void> {
  const page = await visit(fresh, url, state, FIRST, join(build.root, 'dist', 'client'));
  for (const picture of PICTURES) {
    await page.setViewportSize({ width: picture.width, height: HEIGHT });
    await page.emulateMedia({ colorScheme: picture.theme });
    if (state.repeats) await state.step?.({ page, url });
    if (!state.overlay && (await page.locator('.widget').count()) > 0) await awaitWidgets(page);
    if (state.overlay && state.context?.javaScriptEnabled !== false) await page.waitForFunction(drawnInView);
    const path = join(folder, fileOf(state.name, picture));
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const whole = { x: 0, y: 0, width: picture.width, height: Math.min(height, MOST_HEIGHT) };
    await page.screenshot(state.overlay ? { path } : { path, fullPage: true, clip: whole });
  }
}

/** A state, and the builds that have it. */
interface Taken {
  readonly name: string;
  readonly builds: readonly Build[];
}

async function takeOfEach(running: readonly Running[], name: string, now: number): Promise<Taken> {
  const builds: Build[] = [];
  for (const one of running) {
    const { build } = one;
    const state = statesOf(build, now).find((each) => each.name === name);
    try {
      if (state === undefined) throw new Error('There is no such sample.');
      await take(one, state, join(FOLDER, build.name));
      builds.push(build);
    } catch (error) {
      const [reason] = String(error).split('\n');
      console.log(`${name}: not in ${build.title} (${reason})`);
      if (build.name === 'after') process.exitCode = 1;
    }
  }
  console.log(name);
  return { name, builds };
}

/**
 * Takes pictures of the states in `wanted`, or of all of them, into a folder per build, and writes
 * `screenshots/index.html`, which shows each pair. The last build has to be that of this checkout.
 */
export async function takeScreenshots(wanted: readonly string[], builds: readonly Build[]): Promise<void> {
  const now = Date.now();
  const names = builds.slice(-1).flatMap((build) => statesOf(build, now).map(({ name }) => name));
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no state ${unknown.join(', ')}. The states are: ${names.join(', ')}.`);
  }
  if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true });
  for (const { name } of builds) mkdirSync(join(FOLDER, name), { recursive: true });
  const running: Running[] = [];
  const taken: Taken[] = [];
  try {
    for (const build of builds) running.push(await start(build));
    for (const name of names.filter((each) => wanted.length === 0 || wanted.includes(each))) {
      taken.push(await takeOfEach(running, name, now));
    }
  } finally {
    for (const { stop } of running) await stop();
  }
  const index = join(FOLDER, 'index.html');
  writeFileSync(index, indexOf(taken, builds));
  console.log(index);
}

function indexOf(taken: readonly Taken[], builds: readonly Build[]): string {
  const figure = (build: Build, { name, builds }: Taken, file: string) => {
    const path = `${build.name}/${file}`;
    const shown = builds.includes(build)
      ? `<a href="${path}"><img src="${path}" alt="" loading="lazy"></a>`
      : `<p>not in ${build.title}</p>`;
    return `<figure aria-label="${name}"><figcaption>${build.name}: ${build.title}</figcaption>${shown}</figure>`;
  };
  const sections = taken.flatMap((state) => [
    `<h2 id="${state.name}">${state.name}</h2>`,
    ...PICTURES.map((picture) => {
      const figures = builds.map((build) => figure(build, state, fileOf(state.name, picture)));
      return `<h3>${state.name}, ${picture.theme}, ${picture.width} px</h3><div>${figures.join('')}</div>`;
    }),
  ]);
  const contents = taken.map(({ name }) => `<a href="#${name}">${name}</a>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pictures of every state</title>
<style>
  body { margin: 24px; font: 16px/1.5 system-ui, sans-serif; background: #777; color: #fff }
  a { color: inherit }
  div { display: flex; gap: 24px; align-items: start }
  figure { flex: 1; min-width: 0; margin: 0 }
  img { max-width: 100% }
</style>
<nav>${contents.join(' · ')}</nav>
${sections.join('\n')}
</html>
`;
}
