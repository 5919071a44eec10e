import { createHash } from 'node:crypto';
import tokensCss from '#web/styles/tokens.css?raw';
import { PERMISSIONS } from '../http/security-headers.ts';
import { inAttribute, inText } from './escape.ts';
import noticeCss from './notice-page.css?raw';

/** A page of a few sentences, in plain text. */
export interface Notice {
  /** The heading and the page's title. */
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Label of a button, which posts to the page's own address. */
  readonly button?: string;
}

interface NoticePlace {
  readonly productName: string;
  /** Relative address of the dashboard: './', '../' and so on. */
  readonly home: string;
}

const COMMENT = /\/\*[\s\S]*?\*\//g;
const STYLE = (tokensCss + noticeCss).replace(COMMENT, '').replace(/\s+/g, ' ').trim();
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** No scripts, frames, caching, indexing or referrer: the address of a notice is a key. */
export const NOTICE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "img-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  ...PERMISSIONS,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
} as const;

/** Renders a notice as a page without scripts. Its only other file is the icon. */
export function renderNotice(
  { title, paragraphs, button }: Notice,
  { productName, home }: NoticePlace,
): string {
  const name = inText(productName);
  const at = (path: string) => inAttribute(home + path);
  // Without an action a form posts to the page's own address, also behind a proxy that strips a prefix.
  const form = button && `<form method="post"><button type="submit">${inText(button)}</button></form>\n`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${inText(title)} – ${name}</title>`,
    `<link rel="icon" href="${at('favicon.ico')}" sizes="32x32">`,
    `<link rel="icon" type="image/svg+xml" href="${at('icon.svg')}">`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<p class="product">${name}</p>`,
    `<h1>${inText(title)}</h1>`,
    ...paragraphs.map((paragraph) => `<p>${inText(paragraph)}</p>`),
    `${form ?? ''}<p><a href="${at('')}">Open the dashboard</a></p>`,
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n');
}
