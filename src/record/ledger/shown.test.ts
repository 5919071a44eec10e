import { describe, expect, it } from 'vitest';
import { LedgerError } from './entries.ts';
import { compareFeed, parseAtom } from './shown.ts';

const entry = (week: number) =>
  `<entry><title>Week ${week} &amp; more</title><published>2026-11-21T14:00:00Z</published>
<link rel="alternate" type="text/html" href="https://market.example/record/2026-W${week}"/><content type="text">A
text</content></entry>`;

describe('parsing an Atom feed', () => {
  it('returns its entries', () => {
    const head = '<feed><title>Signals</title><link rel="alternate" href="https://market.example/record"/>';
    expect(parseAtom(`${head}\n${entry(46)}\n${entry(47)}\n</feed>`)).toEqual(
      [46, 47].map((week) => ({
        at: '2026-11-21T14:00:00Z',
        path: `record/2026-W${week}`,
        title: `Week ${week} & more`,
        text: 'A\ntext',
      })),
    );
  });

  it.each(['<entry>', '<link rel="alternate"', '<title>', '<entry></entry>'])(
    'takes a time proportional to the length of a file that repeats %s',
    (part) => {
      const before = process.cpuUsage();
      const items = parseAtom(`<entry>${part.repeat(200_000)}`);
      expect(() => compareFeed('/feed.atom', items, [])).toThrow(LedgerError);
      const { user, system } = process.cpuUsage(before);
      // A quadratic time is longer than 30 s.
      expect((user + system) / 1e6).toBeLessThan(10);
    },
  );
});
