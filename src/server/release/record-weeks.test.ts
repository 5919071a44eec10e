import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { createRecordWeeks, readWeekPath } from './record-weeks.ts';

let drawn: string[];
const create = () => {
  drawn = [];
  return createRecordWeeks({
    productName: 'Barometer',
    url: 'https://market.example/base/',
    draw: async ({ node }) => {
      drawn.push(JSON.stringify(node));
      return Buffer.from('image');
    },
  });
};

describe('the pages of weeks', () => {
  it.each([
    ['/record/2026-W47', '2026-W47'],
    ['/record/', ''],
    ['/record/garbage', 'garbage'],
    ['/record', null],
    ['/record/2026-W47/more', null],
    ['/records/2026-W47', null],
  ])('the path %s names %o', (path, name) => {
    expect(readWeekPath(path)).toBe(name);
  });

  it('are cached until a row is added to the record', async () => {
    const rows = recordOf(12);
    const pageOf = create();
    const page = await pageOf(rows, '2020-W05', 'a');
    expect(page.status).toBe(200);
    expect(page.content.toString()).toContain('<title>Signal of week 2020-W05 – Barometer</title>');
    expect(await pageOf(rows, '2020-W05', 'a')).toBe(page);
    expect(await pageOf(recordOf(13), '2020-W05', 'a')).not.toBe(page);
  });

  it('name their share image, which is drawn once and shows when the week was decided', async () => {
    const rows = recordOf(12);
    const pageOf = create();
    expect((await pageOf(rows, '2020-W05', 'a')).content.toString()).toContain(
      '<meta property="og:image" content="https://market.example/base/record/2020-W05.png"/>',
    );
    const image = await pageOf(rows, '2020-W05.png', 'a');
    expect([image.status, image.headers['Content-Type']]).toEqual([200, 'image/png']);
    expect(await pageOf(rows, '2020-W05.png', 'a')).toBe(image);
    expect(drawn).toEqual([expect.stringMatching(/Signal of week 2020-W05, decided \w{3} \d+ \w{3} 2020/)]);
  });

  it.each([
    ['2020-W30.png', 'The week 2020-W30 has no decision on record.'],
    ['2020-W54', 'There is no week 54 in 2020.'],
    ['2020-W30', 'The week 2020-W30 has no decision on record.'],
    ['garbage', 'This address names no week. Write a week as in 2026-W47.'],
  ])('respond 404 to %s', async (name, sentence) => {
    const page = await create()(recordOf(12), name, 'a');
    expect(page.status).toBe(404);
    expect(page.content.toString()).toContain(`<p>${sentence}</p>`);
  });
});
