// Draws the bitmap icons of src/web/public from icon.svg. The icons are committed: after a change of icon.svg run
// `node scripts/draw-icons.mjs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Renderer } from '@takumi-rs/wasm/node';
import { ROOT } from './set-up.mjs';

const FOLDER = join(ROOT, 'src', 'web', 'public');
const icon = readFileSync(join(FOLDER, 'icon.svg'), 'utf8');

/** The icon on a square background, its mark at `scale`. Systems cut such icons to their own shape. */
function fullBleed(scale) {
  const around = `translate(32 32) scale(${scale}) translate(-32 -32)`;
  return icon.replace(/ rx="\d+"/, '').replace('<g id="mark">', `<g id="mark" transform="${around}">`);
}

const ICONS = [
  { file: 'icon-192.png', size: 192, svg: icon },
  { file: 'icon-512.png', size: 512, svg: icon },
  // Platforms may crop everything outside the middle 80 %.
  { file: 'icon-maskable-512.png', size: 512, svg: fullBleed(0.85) },
  { file: 'apple-touch-icon.png', size: 180, svg: fullBleed(1) },
];
const FAVICON_SIZE = 32;

const renderer = new Renderer();

async function draw(svg, size) {
  const src = `icon-${size}.svg`;
  const node = { type: 'image', src, width: size, height: size };
  const images = [{ src, data: Buffer.from(svg), cache: 'none' }];
  return Buffer.from(await renderer.render(node, { width: size, height: size, images }));
}

/** An `.ico` file with one image: a directory of one entry, then the PNG. */
function toIco(png, size) {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

for (const { file, size, svg } of ICONS) writeFileSync(join(FOLDER, file), await draw(svg, size));
writeFileSync(join(FOLDER, 'favicon.ico'), toIco(await draw(icon, FAVICON_SIZE), FAVICON_SIZE));
