import { createHash } from 'node:crypto';

const ELEMENT = /<script\b([^>]*)>([\s\S]*?)<\/script>/gi;
/** What a browser runs; anything else in a `type` makes the element a block of data. */
const RUNS = /^(|module|(text|application)\/javascript)$/i;

/** The sources by which a Content-Security-Policy lets the scripts written into the page run, and no other. */
export function inlineScriptSources(html: string): string[] {
  return [...html.matchAll(ELEMENT)].flatMap(([, attributes = '', script = '']) => {
    const type = /\btype\s*=\s*["']?([^"'\s>]*)/i.exec(attributes)?.[1] ?? '';
    if (/\bsrc\s*=/i.test(attributes) || !RUNS.test(type)) return [];
    return [`'sha256-${createHash('sha256').update(script).digest('base64')}'`];
  });
}
