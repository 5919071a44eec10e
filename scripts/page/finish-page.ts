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

/** Between these is what only a page without data has; a server that puts its data in takes it out. */
const STATIC = ['<!--static-->', '<!--/static-->'] as const;
const PAGE = ['<!--page-->', '<!--/page-->'] as const;

const onlyStatic = (html: string) => STATIC[0] + html + STATIC[1];

/** Puts something in a place that has to be there, once. */
function replaced(html: string, place: RegExp | string, by: (found: string) => string): string {
  const [found, ...others] = html.match(typeof place === 'string' ? place : new RegExp(place, 'g')) ?? [];
  if (found === undefined || others.length > 0) throw new Error(`The page has ${place} not once.`);
  return html.replace(found, () => by(found));
}

/** Without what only we read: comments but for those markers, and the room between elements. */
function tidied(html: string): string {
  return html
    .replace(/<!--(?!\/?(?:static|page)-->)[\s\S]*?-->/g, '')
    .replace(/>\s+</g, '><')
    .replace(/\s*\n\s*/g, ' ');
}

/** The page's script after all it works on, and behind what is painted first. */
function scriptLast(html: string): string {
  let script = '';
  const without = replaced(html, /\s*<script type="module"[^>]*><\/script>/, (found) => {
    script = found.trim().replace('<script', '<script fetchpriority="low"');
    return '';
  });
  return replaced(without, '</body>', (end) => script + end);
}

/** A page that has to load its data needs the code for that as well, so both are asked for at once. */
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
 * Makes the built page one that is painted from its HTML alone: the styles within it, the page as it looks while it
 * loads, a small script that begins the reads, and the page's own script last.
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
