/** Repeatable random values, which depend on the seed alone. */
export interface Dice {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** True with the given probability (0–1). */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Picks one of several, with a probability proportional to its weight. */
  weigh<T>(from: readonly (readonly [weight: number, one: T])[]): T;
  /** Picks up to `count` different items, in random order. */
  some<T>(from: readonly T[], count: number): T[];
}

/** Marsaglia's xorshift on 32 bits, seeded with any whole number. */
export function createDice(seed: number): Dice {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) | 1;
  const fraction = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(fraction() * count);
  const at = <T>(from: readonly T[], index: number): T => {
    if (index >= from.length) throw new RangeError('There is nothing to pick from.');
    return from[index] as T;
  };
  return {
    below,
    chance: (probability) => fraction() < probability,
    pick: (from) => at(from, below(from.length)),
    weigh: (from) => {
      let rest = fraction() * from.reduce((sum, [weight]) => sum + weight, 0);
      const found = from.find(([weight]) => {
        rest -= weight;
        return rest < 0;
      });
      return (found ?? at(from, from.length - 1))[1];
    },
    some: (from, count) => {
      const left = [...from];
      const taken = Math.min(count, left.length);
      return Array.from({ length: taken }, () => left.splice(below(left.length), 1)).flat();
    },
  };
}
