import type { Exchange } from '#tests/support/compared-responses.ts';
import type { Dice } from '#tests/support/dice.ts';

/** A request and its ingredients: `table:…`, `operator:…`, `type:…` and the like. */
export interface Generated {
  exchange: Exchange;
  of: string[];
}

const toHex = (byte: number) => byte.toString(16).padStart(2, '0');
const everyByte = (text: string) => [...Buffer.from(text)].map((byte) => `%${toHex(byte)}`).join('');
/** Characters that are valid unescaped in an address, though a careful program escapes them. */
const BARE = /[!-"$'-*,-:<>-~]/;

/** A text as part of a query string, in one of the encodings that programs use. */
export function encoded(dice: Dice, text: string): string {
  return dice.weigh([
    [6, encodeURIComponent],
    [3, (all: string) => encodeURIComponent(all).replaceAll('%20', '+')],
    [2, (all: string) => encodeURIComponent(all).replaceAll(/%../g, (code) => code.toLowerCase())],
    [2, (all: string) => [...all].map((one) => (BARE.test(one) ? one : everyByte(one))).join('')],
    [1, everyByte],
  ])(text);
}

/** The path of a table with its parameters, each in a random encoding. */
export function addressOf(
  dice: Dice,
  table: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const pairs = parameters.map(([name, value]) => {
    const isPlain = dice.chance(0.95);
    return `${isPlain ? encodeURIComponent(name) : everyByte(name)}=${encoded(dice, value)}`;
  });
  return `/${table}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

/** Prefer and other headers; many requests have none. */
export function headersOf(
  dice: Dice,
  choices: Readonly<Record<string, readonly (readonly [weight: number, value: string | null])[]>>,
): Record<string, string> {
  const chosen = Object.entries(choices).map(([name, values]) => [name, dice.weigh(values)] as const);
  return Object.fromEntries(chosen.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
