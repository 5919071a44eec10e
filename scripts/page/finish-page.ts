import type { Plugin, Rolldown } from 'vite';
import { bundled, markupOf } from './bundled.ts';

type Bundle = Rolldown.OutputBundle;

interface FinishPageOptions {
  /** The modules that the page's markup, its script and its reads need. */
  markup: string;
  earlyReads: string;
  reads: string;
  /** Folder of the files with the `VITE_` values. */
  envDir: string;
}

/** Markers around content that only a page without data has. A server that renders data removes it. */
const STATIC = ['<!--static-->', '<!--/static-->'] as const;
const PAGE = ['<!--page-->', '<!--/page-->'] as const;

const onlyStatic = (html: string) => STATIC[0] + html + STATIC[1];

/** Replaces a part of the HTML. Throws unless the part occurs exactly once. */
function replaced(html: string, place: RegExp | string, by: (found: string) => string): string {
  const [found, ...others] = html.match(typeof place === 'string' ? place : new RegExp(place, 'g')) ?? [];
  if (found === undefined || others.length > 0)
    throw new Error(`The page does not have ${place} exactly once.`);
  return html.replace(found, () => by(found));
}

/** Removes comments other than the markers, and the space between elements. */
function tidied(html: string): string {
  return html
    .replace(/<!--(?!\/?(?:static|page)-->)[\s\S]*?-->/g, '')
    .replace(/>\s+</g, '><')
    .replace(/\s*\n\s*/g, ' ');
}

/** Moves the script to the end of the page, so that it loads after the first paint. */
function scriptLast(html: string): string {
  let script = '';
  const without = replaced(html, /\s*<script type="module"[^>]*><\/script>/, (found) => {
    script = found.trim().replace('<script', '<script fetchpriority="low"');
    return '';
  });
  return replaced(without, '</body>', (end) => script + end);
}

/** Preloads the code that reads the data, which only a page without data needs. */
function preloadOf(bundle: Bundle, reads: string): string {
  return Object.values(bundle)
    .filter((output) => output.type === 'chunk' && output.moduleIds.includes(reads))
    .map(({ fileName }) => `<link rel="modulepreload" crossorigin fetchpriority="low" href="./${fileName}">`)
    .join('');
}

function preconnectTo(address: unknown): string {
  if (typeof address !== 'string' || !URL.canParse(address)) return '';
  return `<link rel="preconnect" crossorigin href="${new URL(address).origin}">`;
}

/**
 * Changes the built page so that a browser can paint its HTML alone: with inline styles, the loading state as markup, a
 * small script that starts the reads, and the page's script last.
 */
export function finishPage({ markup, earlyReads, reads, envDir }: FinishPageOptions): Plugin {
  let env: Record<string, unknown> = {};
  return {
    name: 'finish-page',
    apply: 'build',
    configResolved: (config) => {
      env = config.env;
    },
    transformIndexHtml: {
      order: 'post',
      handler: async (html, { bundle = {} }) => {
        const [shell, script] = await Promise.all([
          markupOf(markup, envDir),
          bundled(earlyReads, { envDir, format: 'iife' }),
        ]);
        const head = preconnectTo(env.VITE_SUPABASE_URL) + preloadOf(bundle, reads);
        const steps = [
          tidied,
          scriptLast,
          (page: string) => replaced(page, '</head>', (end) => onlyStatic(head) + end),
          (page: string) =>
            replaced(page, `${PAGE[0]}<div id="root"></div>${PAGE[1]}`, () => {
              const root = `${PAGE[0]}<div id="root">${shell}</div>${PAGE[1]}`;
              return root + onlyStatic(`<script>${script}</script>`);
            }),
        ];
        return steps.reduce((page, step) => step(page), html);
      },
    },
  };
}
