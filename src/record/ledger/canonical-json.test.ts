import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('the canonical form of JSON', () => {
  it('equals the example of RFC 8785, section 3.2.2', () => {
    const value = {
      // biome-ignore lint/correctness/noPrecisionLoss: the example has more digits than a double.
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts names by UTF-16 code unit, as the example of section 3.2.3', () => {
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const value = Object.fromEntries([4, 0, 6, 1, 5, 2, 3].map((at) => [sorted[at], at]));
    expect([...canonicalJson(value).matchAll(/":(\d)/g)].map(([, at]) => at).join('')).toBe('0123456');
  });

  it('writes minus zero as 0', () => {
    expect(canonicalJson([-0, 1e21, 1e-7])).toBe('[0,1e+21,1e-7]');
  });

  it.each([
    ['a number that is not finite', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['half a surrogate pair', { text: '\ud83d' }],
    ['half a surrogate pair in a name', { '\ude00': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});
