import { describe, expect, test } from 'vitest';
import { placeFor } from './place-beside.ts';

const at = (left: number, top: number) => ({ left, top, width: 24, bottom: top + 24 });
const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 900 };
const page = { left: 0, right: 1280 };

describe('the place of a note beside its button', () => {
  test('is centred under its button if there is space', () => {
    expect(placeFor(at(600, 100), wide, page)).toMatchObject({
      left: 452,
      width: 320,
      side: 'below',
      edge: 130,
    });
  });

  test.each([
    [0, 16],
    [1256, 944],
  ])('from a button at %i keeps 16 px from the edges', (left, expected) => {
    expect(placeFor(at(left, 100), wide, page).left).toBe(expected);
  });

  test('stays between the sides of its card', () => {
    const card = { left: 500, right: 900 };
    expect(placeFor(at(510, 100), wide, card).left).toBe(500);
    expect(placeFor(at(870, 100), wide, card).left).toBe(580);
  });

  test('is at most as wide as a narrow window allows', () => {
    expect(placeFor(at(280, 100), narrow, { left: 0, right: 320 })).toMatchObject({ left: 16, width: 288 });
  });

  test('is above a button near the bottom, as high as the space there', () => {
    expect(placeFor(at(600, 800), wide, page)).toMatchObject({
      side: 'above',
      edge: 794,
      maxHeight: 778,
    });
  });

  test('stays below its button if there is enough space, even if there is more space above', () => {
    expect(placeFor(at(600, 560), wide, page).side).toBe('below');
    expect(placeFor(at(600, 600), wide, page).side).toBe('above');
  });
});
