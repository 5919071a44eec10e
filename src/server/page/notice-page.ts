import type { DocumentPlace } from '#web/documents/document-page.tsx';
import { documentHeaders } from '../http/security-headers.ts';
import { escapeAttribute, inText } from './escape.ts';
import STYLE from './notice-page.css?inline';

/** The content of a page with a few sentences, as plain text. */
export interface Notice {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Label of a button that posts to the address of the page. */
  readonly button?: string;
  /** Label of a field with the name `password`, which is posted with the button. */
  readonly password?: string;
  /** A checkbox with the name `alerts`, and a button that saves its state. */
  readonly option?: {
    /** The sentence above the checkbox. */
    readonly lead: string;
    readonly label: string;
    readonly isOn: boolean;
    /** The path to which the checkbox is posted, relative to the dashboard. */
    readonly action: string;
  };
  /** For a page that replaces the requested one until it is available. `share` of the work (0 to 1) may be unknown. */
  readonly waiting?: { readonly share: number | null };
}

/** Headers of a notice. Anybody who knows its address can change the subscription, so no cache, index or referrer gets it. */
export const NOTICE_HEADERS = {
  ...documentHeaders(STYLE),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
} as const;

/** The relative address of the dashboard from a path of the server, such as '../' from '/confirm/token'. */
export const homeFrom = (path: string) => '../'.repeat(path.split('/').length - 2) || './';

/** Renders a notice as a page without scripts. The page loads no file except the icon. */
export function renderNotice(
  { title, paragraphs, button, password, option, waiting }: Notice,
  { productName, home }: DocumentPlace,
): string {
  const name = inText(productName);
  const at = (path: string) => escapeAttribute(home + path);
  // A form without an action posts to the address of the page, even behind a proxy that removes a prefix from the path.
  const field =
    password === undefined
      ? ''
      : `<label for="password">${inText(password)}</label><input type="password" id="password" name="password" autocomplete="current-password" required autofocus>`;
  const form =
    button && `<form method="post">${field}<button type="submit">${inText(button)}</button></form>\n`;
  const choice =
    option &&
    `<form method="post" action="${at(option.action)}"><p>${inText(option.lead)}</p><label><input type="checkbox" name="alerts"${option.isOn ? ' checked' : ''}> ${inText(option.label)}</label><button type="submit">Save</button></form>\n`;
  const bar =
    waiting?.share != null &&
    `<progress max="1" value="${waiting.share}" aria-label="Progress"></progress>\n`;
  const isEntrance = waiting !== undefined || password !== undefined;
  const end = !isEntrance ? `<p><a href="${at('')}">Open the dashboard</a></p>` : bar || '';
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
    '<main class="card">',
    `<p class="product quiet">${name}</p>`,
    `<h1>${inText(title)}</h1>`,
    ...paragraphs.map((paragraph) => `<p>${inText(paragraph)}</p>`),
    `${form ?? ''}${choice ?? ''}${end}`,
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n');
}
