import { parentPort } from 'node:worker_threads';
import cyrillic from '@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2?inline';
import greek from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2?inline';
import latinExt from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?inline';
import latin from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline';
import { Renderer } from '@takumi-rs/wasm/node';
import { CARD_SIZE, type Card } from './card.ts';

// Draws an image for each message. In a thread of its own, the drawing does not block the server.

const FONT = [latin, latinExt, greek, cyrillic];

const bytesOf = (dataUrl: string) => Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');

async function draw({ node, css, drawings }: Card): Promise<Uint8Array> {
  const renderer = new Renderer();
  for (const file of FONT) await renderer.registerFont({ name: 'Inter', data: bytesOf(file) });
  const images = Object.entries(drawings).map(([src, svg]) => ({ src, data: Buffer.from(svg) }));
  return renderer.render(node, { ...CARD_SIZE, format: 'png', css: [css], images });
}

parentPort?.on('message', async (card: Card) => parentPort?.postMessage(await draw(card)));
