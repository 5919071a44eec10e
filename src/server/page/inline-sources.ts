import { createHash } from 'node:crypto';

const SCRIPT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
const STYLE = /<style\b[^>]*>([\s\S]*?)<\/style>/gi;
/** What a browser runs; anything else in a `type` makes the element a block of data. */
const RUNS = /^(|module|(text|application)\/javascript)$/i;

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The sources by which a Content-Security-Policy lets the scripts written into the page run, and no other. */
export function inlineScriptSources(html: string): string[] {
  return [...html.matchAll(SCRIPT)].flatMap(([, attributes = '', script = '']) => {
    const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1] ?? '';
    return /\bsrc\s*=/i.test(attributes) || !RUNS.test(type) ? [] : [sourceOf(script)];
  });
}

/** The sources by which it lets the styles written into the page hold. */
export function inlineStyleSources(html: string): string[] {
  return [...html.matchAll(STYLE)].map(([, style = '']) => sourceOf(style));
}
