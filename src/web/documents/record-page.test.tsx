import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { recordView, recordWeekView } from '#views/record-view.ts';
import { noRecordHtml, recordHtml, recordWeekHtml } from './record-page.tsx';

const PLACE = { productName: 'Barometer', home: './', imageAddress: 'https://market.example/record.png' };
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** The text of a page, with a space between elements. */
const textOf = (html: string) =>
  html
    .replace(/<head>[\s\S]*<\/head>/, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ');

/** Statements that the record must not make. */
const FORBIDDEN =
  /hit rate|accura|success|win rate|correct signals|right .{0,12}%|% of (the )?(weeks|signals)|probab|likel|chance|odds|annual|per year|a year|p\.a\.|return|backtest|equity|profit|outperform|beat|predict|skilful|proven/i;

describe('the record as a page', () => {
  it.each([3, 12, 60, 300])('has no forbidden statement over %i weeks', (count) => {
    const rows = recordOf(count, (at) => ({ source: at < count / 3 ? 'simulated' : 'live' }));
    const html = recordHtml(recordView(rows), PLACE);
    expect(textOf(html)).not.toMatch(FORBIDDEN);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    for (const { week } of rows.weeks) {
      const view = recordWeekView(rows, week);
      expect(view && textOf(recordWeekHtml(view, PLACE))).not.toMatch(FORBIDDEN);
    }
  });

  it.each([12, 60, 300])(
    'has the lowest or highest change and its counts beside each mean of %i weeks',
    (count) => {
      const text = textOf(recordHtml(recordView(recordOf(count)), PLACE));
      const cell =
        /(too few to say|[+−]\d+\.\d\d) (?:lowest|highest) ([+−]\d+\.\d\d|—) \d+ windows? ?, \d+ apart ?, \d+ spells?/g;
      expect(text.match(cell)).toHaveLength(12);
      expect(text.match(/too few to say/gi)?.length ?? 0).toBeGreaterThanOrEqual(count < 300 ? 1 : 0);
    },
  );

  it.each([1, 3])('has no table of means over %i weeks, which have no mean', (count) => {
    const text = textOf(recordHtml(recordView(recordOf(count)), PLACE));
    expect(text).toContain('Too few to say');
    expect(text).not.toMatch(/Mean change|0 windows/);
  });

  it.each([
    [2, 1],
    [60, 1],
    [1_300, 1],
    [1, 0],
  ])('draws %i weeks without broken values, with a description in words', (count, charts) => {
    const html = recordHtml(recordView(recordOf(count)), PLACE);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    expect(html.match(/<figure class="record-chart"/g)?.length ?? 0).toBe(charts);
    expect(html.match(/ role="img" aria-label="[^"]{20,}"/g)?.length ?? 0).toBe(2 * charts);
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script>', expect.stringContaining('src=')]);
  });

  it.each([3, 60])('names the dots of %i weeks only if there are some', (count) => {
    const html = recordHtml(recordView(recordOf(count)), PLACE);
    const hasDots = html.includes('<circle');
    expect(hasDots).toBe(count > 3);
    expect(html.includes('the numbered dots the lows of the largest falls')).toBe(hasDots);
  });

  it('links each year of the overview to its weeks in the list', () => {
    const rows = recordOf(120, (at) => ({ source: at < 60 ? 'simulated' : 'live' }));
    const html = recordHtml(recordView(rows), PLACE);
    const linked = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const ids = [...html.matchAll(/<table id="([^"]+)"/g)].map(([, id]) => id);
    expect(linked).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
  });

  it('opens the weeks of the newest year, and sums up each year', () => {
    const html = recordHtml(recordView(recordOf(200)), PLACE);
    const years = [...html.matchAll(/<details( open="")?><summary>(.*?)<\/summary>/g)];
    expect(years.map(([, open]) => open !== undefined)).toEqual([true, false, false, false]);
    for (const [, , summary = ''] of years) {
      expect(textOf(summary)).toMatch(
        /^ 20\d\d \d+ BUY, \d+ HOLD, \d+ SELL(, \d+\swithheld)?; S&P 500 [+−]\d+\.\d\d% $/,
      );
    }
  });

  it('states that the signal does not forecast', () => {
    expect(textOf(recordHtml(recordView(recordOf(3)), PLACE))).toContain(
      'The signal describes the condition of the market. It does not forecast, and this record claims no skill.',
    );
  });

  it.each([
    ['simulated', 'Demo: Signal of week '],
    ['live', 'Signal of week '],
  ] as const)('starts the title of a shared link from %s data with "%s"', (source, start) => {
    const rows = recordOf(3, () => ({ source }));
    const view = recordWeekView(rows, rows.weeks[0]?.week ?? '');
    expect(view && recordWeekHtml(view, PLACE)).toContain(`<meta property="og:title" content="${start}`);
  });

  it('marks each week of a demonstration beside weeks of the actual market', () => {
    const rows = recordOf(60, (at) => ({ source: at < 40 ? 'simulated' : 'live' }));
    const html = recordHtml(recordView(rows), PLACE);
    expect(
      html.match(/<th scope="row"><a [^>]*>[^<]*<\/a> <small>[^<]*<\/small><small> demo<\/small>/g),
    ).toHaveLength(40);
    expect(textOf(html)).toContain('Demonstration. A simulated market with invented numbers.');
    expect(textOf(recordHtml(recordView(recordOf(60)), PLACE))).not.toMatch(/demo\b/);
  });

  it('says once that every week of the record is a demonstration', () => {
    const text = textOf(recordHtml(recordView(recordOf(60, () => ({ source: 'simulated' }))), PLACE));
    expect(text).toContain('Demonstration. A simulated market with invented numbers.');
    expect(text).not.toMatch(/demo\b/);
  });

  it('shows withheld weeks, void grades and corrected grades', () => {
    const html = recordHtml(recordView(recordOf(60)), PLACE);
    const text = textOf(html);
    expect(html.match(/>withheld</g)).toHaveLength(6);
    expect(text).toContain(' void ');
    expect(text).toContain(' corrected ');
  });

  it('links each week to its page', () => {
    expect(recordHtml(recordView(recordOf(3)), PLACE).match(/href="\.\/record\/2020-W0[234]"/g)).toHaveLength(
      3,
    );
  });

  it('has one sentence for a week that does not exist', () => {
    const html = noRecordHtml('There is no week 54 in 2026.', { ...PLACE, home: '../' });
    expect(html).toContain(
      '<p>There is no week 54 in 2026.</p><p><a href="../record">Open the record</a></p>',
    );
    expect(html).toContain('noindex');
  });
});
