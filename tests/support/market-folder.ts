import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { noise } from './bars.ts';

/** A temporary folder of market data; `files` maps names to contents. */
export function marketFolder(files: Readonly<Record<string, string | Uint8Array>>): {
  dir: string;
  write(name: string, content: string | Uint8Array): void;
  remove(): void;
} {
  const dir = mkdtempSync(join(tmpdir(), 'barometer-market-'));
  mkdirSync(dir, { recursive: true });
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(dir, name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  return { dir, write, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

export const BAR_HEADER = 'symbol,date,open,high,low,close,volume';

const SECTORS = ['Energy', 'Financials', 'Utilities'];

/** A small complete market that follows a random walk from `from` to `to`: universe, bars, index and VIX. */
export function smallMarket(from: string, to: string): Record<string, string> {
  const random = noise(7);
  const sessions = sessionsBetween(from, to);
  const symbols = Array.from({ length: 6 }, (_, at) => `SYM${at}`);
  const prices = symbols.map(() => 50 + 100 * random());
  const bars = [BAR_HEADER];
  const index = ['date,open,high,low,close'];
  const vix = ['date,open,high,low,close'];
  for (const session of sessions) {
    for (const [at, symbol] of symbols.entries()) {
      const close = (prices[at] ?? 0) * (0.97 + 0.0605 * random());
      prices[at] = close;
      const [open, high, low] = [close * 0.99, close * 1.02, close * 0.98];
      const values = [open, high, low, close].map((value) => value.toFixed(2)).join(',');
      bars.push(`${symbol},${session},${values},${Math.round(1e6 * (0.5 + random()))}`);
    }
    const level = prices.reduce((sum, price) => sum + price, 0).toFixed(2);
    index.push(`${session},${level},${level},${level},${level}`);
    const fear = (12 + 10 * random()).toFixed(2);
    vix.push(`${session},${fear},${fear},${fear},${fear}`);
  }
  const universe = symbols.map((symbol, at) => `${symbol},Company ${at},${SECTORS[at % SECTORS.length]}`);
  return {
    'universe.csv': ['symbol,name,sector', ...universe].join('\n'),
    'bars.csv': bars.join('\n'),
    'sp500.csv': index.join('\n'),
    'vix.csv': vix.join('\n'),
  };
}
