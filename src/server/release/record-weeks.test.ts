import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { createRecordWeeks, readWeekPath } from './record-weeks.ts';

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

  it('are kept while nothing is added to the record', async () => {
    const rows = recordOf(12);
    const pageOf = createRecordWeeks('Barometer');
    const page = await pageOf(rows, '2020-W05');
    expect(page.status).toBe(200);
    expect(page.content.toString()).toContain('<title>Signal of week 2020-W05 – Barometer</title>');
    expect(await pageOf(rows, '2020-W05')).toBe(page);
    expect(await pageOf(recordOf(13), '2020-W05')).not.toBe(page);
  });

  it.each([
    ['2020-W54', 'There is no week 54 in 2020.'],
    ['2020-W30', 'The week 2020-W30 has no decision on record.'],
    ['garbage', 'This address names no week: write one as in 2026-W47.'],
  ])('respond 404 to %s', async (name, sentence) => {
    const page = await createRecordWeeks('Barometer')(recordOf(12), name);
    expect(page.status).toBe(404);
    expect(page.content.toString()).toContain(`<p>${sentence}</p>`);
  });
});
