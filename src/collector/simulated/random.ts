/**
 * A stream of random numbers that is the same for the same seed, on every machine: sfc32 (Doty-Humphrey, PractRand), seeded by
 * an FNV-1a hash of the text; normals by Marsaglia's polar method.
 */
export function createRandomStream(seed: string) {
  let a = hash(seed, 0x811c9dc5);
  let b = hash(seed, 0x9e3779b9);
  let c = hash(seed, 0x85ebca6b);
  let counter = 1;
  let spare = Number.NaN;

  /** From 0 up to but not including 1. */
  function uniform(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 4_294_967_296;
  }

  /** Standard normal. */
  function normal(): number {
    if (!Number.isNaN(spare)) {
      const value = spare;
      spare = Number.NaN;
      return value;
    }
    while (true) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square === 0 || square >= 1) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * scale;
      return x * scale;
    }
  }

  for (let warmUp = 0; warmUp < 12; warmUp += 1) uniform();
  return { uniform, normal };
}
export type RandomStream = ReturnType<typeof createRandomStream>;

function hash(text: string, basis: number): number {
  let value = basis | 0;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}

export function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
