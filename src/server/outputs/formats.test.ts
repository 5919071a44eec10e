import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { checkAtom, jsonFeedViolations } from '#tests/support/schemas/schemas.ts';
import { toCsv } from '#views/outputs/bulk-tables.ts';
import { gradeEntries, newestEntries } from '#views/outputs/feed-entries.ts';
import { badgeJson, badgeSvg, textWidth } from './badge.ts';
import { FEEDS, type Feed, feedIds, toAtom, toJsonFeed } from './feeds.ts';

const HOSTILE = '</title><script>alert(1)</script>"\'& \u0000\u0008\ufffe\ud800 😀 ]]>';

const place = (home = 'https://market.example/', key = 'key', productName = 'Barometer') => ({
  productName,
  home,
  idOf: feedIds(Buffer.from(key)),
});
const feedOf = (over: Partial<Feed> = {}): Feed => ({
  ...FEEDS.main,
  title: 'Barometer weekly signal',
  description: 'As of today.',
  updated: '2026-11-21T14:00:00.000Z',
  entries: newestEntries(gradeEntries(recordOf(60))),
  state: { as_of: null },
  ...over,
});

describe('the feeds', () => {
  it.each([
    ['with entries', feedOf()],
    ['without entries', feedOf({ entries: [] })],
    [
      'with hostile texts',
      feedOf({
        title: HOSTILE,
        description: HOSTILE,
        entries: [
          { name: 'a', at: '2026-11-21T14:00:00Z', title: HOSTILE, text: HOSTILE, path: 'record/2026-W47' },
        ],
      }),
    ],
  ])('are valid %s', (_name, feed) => {
    expect(() => checkAtom(toAtom(feed, place(undefined, undefined, HOSTILE)))).not.toThrow();
    expect(jsonFeedViolations(JSON.parse(toJsonFeed(feed, place())))).toEqual([]);
  });

  it('have the addresses and the id of their own', () => {
    const [main, grades] = [FEEDS.main, FEEDS.grades].map((feed) => {
      const atom = toAtom(feedOf(feed), place());
      return {
        id: /<id>([^<]*)</.exec(atom)?.[1],
        atom: /rel="self"[^>]* href="([^"]*)"/.exec(atom)?.[1],
        json: JSON.parse(toJsonFeed(feedOf(feed), place())).feed_url,
      };
    });
    expect(main).toMatchObject({
      id: place().idOf(''),
      atom: 'https://market.example/feed.atom',
      json: 'https://market.example/feed.json',
    });
    expect(grades).toMatchObject({
      atom: 'https://market.example/grades.atom',
      json: 'https://market.example/grades.json',
    });
    expect(grades?.id).not.toBe(main?.id);
  });

  it('have ids that depend on the installation and not on its address', () => {
    const ids = (at: ReturnType<typeof place>) =>
      JSON.parse(toJsonFeed(feedOf(), at)).items.map(({ id }: { id: string }) => id);
    expect(ids(place('https://elsewhere.example/'))).toEqual(ids(place()));
    expect(ids(place('https://market.example/', 'other'))).not.toEqual(ids(place()));
    expect(new Set(ids(place())).size).toBe(50);
    for (const id of ids(place())) {
      expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});

describe('CSV', () => {
  it('has no cell that a spreadsheet runs as a formula', () => {
    const rows = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1'].map((text) => [text]);
    const csv = toCsv({ columns: ['reason'], rows });
    for (const line of csv.split('\r\n').slice(1, -1)) expect(line).toMatch(/^"?'/);
  });

  it('writes special characters, numbers and unknown values as RFC 4180 requires', () => {
    const rows = [['a,b', 'say "x"', 'two\nlines', -1.5, null, '']];
    expect(toCsv({ columns: ['a', 'b', 'c', 'd', 'e', 'f'], rows })).toBe(
      'a,b,c,d,e,f\r\n"a,b","say ""x""","two\nlines",-1.5,,\r\n',
    );
  });
});

describe('the badge', () => {
  it('is as wide as its texts', () => {
    const widthOf = (message: string) =>
      Number(/ width="(\d+)"/.exec(badgeSvg({ message, verdict: null }, 'Barometer', ''))?.[1]);
    expect(widthOf('HOLD 54.3')).toBe(
      Math.ceil(textWidth('Barometer') + 12) + Math.ceil(textWidth('HOLD 54.3') + 12),
    );
    expect(textWidth('i')).toBeLessThan(textWidth('W'));
    expect(textWidth('市')).toBe(11);
  });

  it('escapes its texts', () => {
    const svg = badgeSvg({ message: 'HOLD', verdict: 'HOLD' }, HOSTILE, HOSTILE);
    expect(svg).not.toContain('<script');
    expect(svg.match(/<title>/g)).toHaveLength(1);
  });

  it('has the fields that shields.io allows', () => {
    expect(JSON.parse(badgeJson({ message: 'BUY 62.1', verdict: 'BUY' }, 'Barometer'))).toEqual({
      schemaVersion: 1,
      label: 'Barometer',
      message: 'BUY 62.1',
      color: '2fb67c',
      cacheSeconds: 300,
    });
  });
});
