import { brotliCompressSync } from 'node:zlib';
import type { PageRequest } from './page-report.ts';

/** Size of a first load (KiB), compressed by a single compressor so that hosts do not matter. */
export interface PageBytes {
  readonly html: number;
  readonly script: number;
  /** Files and inline content. */
  readonly styles: number;
  readonly fonts: number;
}

const kib = (content: Buffer | string) => brotliCompressSync(content).length / 1024;

async function kibOf(requests: readonly PageRequest[], type: string): Promise<number> {
  const addresses = new Set(requests.filter((request) => request.type === type).map(({ url }) => url));
  const sizes = await Promise.all(
    [...addresses].map(async (url) => {
      const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
      return kib(Buffer.from(await response.arrayBuffer()));
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Size of the inline styles of a page (KiB). */
function inlineStyles(html: string): number {
  const styles = [...html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text).join('');
  return styles === '' ? 0 : kib(styles);
}

/** Repeats the requests of a first load. Returns the sum of their sizes. */
export async function weigh(url: string, requests: readonly PageRequest[]): Promise<PageBytes> {
  const html = await (await fetch(url)).text();
  return {
    html: kib(html),
    script: await kibOf(requests, 'Script'),
    styles: inlineStyles(html) + (await kibOf(requests, 'Stylesheet')),
    fonts: await kibOf(requests, 'Font'),
  };
}
