import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchCollector } from './collector.ts';
import { benchDurability } from './durability.ts';
import { benchFearGreed } from './fear-greed.ts';
import type { Figure } from './figure.ts';
import { benchKills } from './kills.ts';
import { benchLive } from './live.ts';
import { benchMail } from './mail.ts';
import { benchStart } from './start.ts';
import { benchYear } from './year.ts';

/** The folder of real market data; ends the bench where nobody named it. */
function marketData(): string {
  const folder = process.env.BAROMETER_BENCH_DATA;
  if (folder !== undefined) return folder;
  console.error('This bench reads real market data; set BAROMETER_BENCH_DATA to a folder with it.');
  process.exit(1);
}

const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  'fear-greed': () => benchFearGreed(marketData()),
  collector: () => benchCollector(marketData()),
  start: benchStart,
  live: benchLive,
  kills: benchKills,
  durability: benchDurability,
  year: benchYear,
  mail: benchMail,
};

const RESULTS = join('bench', 'results');

/** A figure a line: what, how much, and the bound it is held against. */
function table(figures: readonly Figure[]): string {
  const widest = Math.max(...figures.map(({ what }) => what.length));
  return figures
    .map(({ what, value, unit, bound }) => {
      const amount = `${value.toLocaleString('en-US', { maximumFractionDigits: 3 })} ${unit}`.trim();
      return `  ${what.padEnd(widest)}  ${amount.padStart(18)}${bound === undefined ? '' : `   (${bound})`}`;
    })
    .join('\n');
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(BENCHES, name));
if (unknown !== undefined) {
  console.error(`"${unknown}" is no bench; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(2);
}
const [name, ...others] = wanted.length > 0 ? wanted : Object.keys(BENCHES);
const bench = BENCHES[name ?? ''];
if (bench === undefined) process.exit(2);
if (others.length > 0) {
  // Each in a process of its own, so that none is measured with another's memory or warm code.
  for (const each of [name ?? '', ...others]) {
    const { status } = spawnSync(process.execPath, [process.argv[1] ?? '', each], { stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
} else {
  console.log(`\n${name}`);
  const figures = await bench();
  console.log(table(figures));
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(figures, null, 2)}\n`);
}
