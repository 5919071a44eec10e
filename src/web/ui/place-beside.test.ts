import { describe, expect, test } from 'vitest';
import { placeFor } from './place-beside.ts';

const at = (left: number, top: number) => ({ left, top, width: 24, bottom: top + 24 });
const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 900 };

describe('the place of a note beside its button', () => {
  test('is centred under its button if there is space', () => {
    expect(placeFor(at(600, 100), wide)).toMatchObject({
      left: 452,
      width: 320,
      side: 'below',
      distance: 130,
    });
  });

  test.each([
    [0, 16],
    [1256, 944],
  ])('from a button at %i keeps 16 px from the edges', (left, expected) => {
    expect(placeFor(at(left, 100), wide).left).toBe(expected);
  });

  test('is at most as wide as a narrow window allows', () => {
    expect(placeFor(at(280, 100), narrow)).toMatchObject({ left: 16, width: 288 });
  });

  test('is above a button near the bottom, as high as the space there', () => {
    expect(placeFor(at(600, 800), wide)).toMatchObject({ side: 'above', distance: 106, maxHeight: 778 });
  });

  test('stays below its button if there is enough space, even if there is more space above', () => {
    expect(placeFor(at(600, 560), wide).side).toBe('below');
    expect(placeFor(at(600, 600), wide).side).toBe('above');
  });
});
