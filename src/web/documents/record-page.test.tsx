import { describe, expect, it } from 'vitest';
import { textOfPage } from '#tests/support/page-text.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { recordView } from '#views/record-view.ts';
import { recordWeekView } from '#views/record-week-view.ts';
import { noRecordHtml, recordHtml, recordWeekHtml } from './record-page.tsx';

const PLACE = { productName: 'Barometer', home: './', imageAddress: 'https://market.example/record.png' };
const htmlOf = (...rows: Parameters<typeof recordOf>) => recordHtml(recordView(recordOf(...rows)), PLACE);
const textOf = (...rows: Parameters<typeof recordOf>) => textOfPage(htmlOf(...rows));

/** Statements that the record must not make. */
const FORBIDDEN =
  /hit rate|accura|success|win rate|correct signals|right .{0,12}%|% of (the )?(weeks|signals)|probab|likel|chance|odds|annual|per year|a year|p\.a\.|return|backtest|equity|profit|outperform|beat|predict|skilful|proven/i;

describe('the record as a page', () => {
  it.each([3, 12, 60, 300])('has no forbidden statement over %i weeks', (count) => {
    const rows = recordOf(count, (at) => ({ source: at < count / 3 ? 'simulated' : 'live' }));
    const html = recordHtml(recordView(rows), PLACE);
    expect(textOfPage(html)).not.toMatch(FORBIDDEN);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    for (const { week } of rows.weeks) {
      const view = recordWeekView(rows, week);
      expect(view && textOfPage(recordWeekHtml(view, PLACE))).not.toMatch(FORBIDDEN);
    }
  });

  it.each([12, 60, 300])('has an extreme and its counts beside each mean of %i weeks', (count) => {
    const text = textOf(count);
    const cell =
      /(too few to say|[+−]\d+\.\d\d) (?:lowest|highest) ([+−]\d+\.\d\d|—) \d+ windows? ?, \d+ apart ?, \d+ spells?/g;
    expect(text.match(cell)).toHaveLength(12);
    expect(text.match(/too few to say/gi)?.length ?? 0).toBeGreaterThanOrEqual(count < 300 ? 1 : 0);
  });

  it('says before the chart how often each verdict was given in the newest two years', () => {
    const [before = ''] = recordHtml(recordView(recordOf(120)), PLACE).split('<figure');
    expect(before.match(/<strong>\d{4}<\/strong> \d+ BUY, \d+ HOLD, \d+ SELL/g)).toHaveLength(2);
  });

  it.each([1, 3])('has no table of means over %i weeks, which have no mean', (count) => {
    const text = textOf(count);
    expect(text).toContain('Too few to say');
    expect(text).not.toMatch(/Mean change|0 windows/);
  });

  it.each([
    [2, 1],
    [60, 1],
    [1_300, 1],
    [1, 0],
  ])('draws %i weeks without broken values, with a description in words', (count, charts) => {
    const html = htmlOf(count);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
    expect(html.match(/<figure class="record-chart"/g)?.length ?? 0).toBe(charts);
    expect(html.match(/ role="img" aria-label="[^"]{20,}"/g)?.length ?? 0).toBe(2 * charts);
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script>', expect.stringContaining('src=')]);
  });

  it.each([3, 60])('names the dots of %i weeks only if there are some', (count) => {
    const html = htmlOf(count);
    const hasDots = html.includes('<circle');
    expect(hasDots).toBe(count > 3);
    expect(html.includes('the numbered dots the lows of the largest falls')).toBe(hasDots);
  });

  it('links each year of the overview to its weeks in the list', () => {
    const html = htmlOf(120, (at) => ({ source: at < 60 ? 'simulated' : 'live' }));
    const linked = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const ids = [...html.matchAll(/<table id="([^"]+)"/g)].map(([, id]) => id);
    expect(linked).toEqual(ids);
    expect(new Set(ids).size).toBe(4);
  });

  it('opens the weeks of the newest year, and sums up each year', () => {
    const html = htmlOf(200);
    const years = [...html.matchAll(/<details( open="")?><summary>(.*?)<\/summary>/g)];
    expect(years.map(([, open]) => open !== undefined)).toEqual([true, false, false, false]);
    for (const [, , summary = ''] of years) {
      expect(textOfPage(summary)).toMatch(
        /^ 20\d\d \d+ BUY, \d+ HOLD, \d+ SELL(, \d+\swithheld)?; S&P 500 [+−]\d+\.\d\d% $/,
      );
    }
  });

  it('states that the signal does not forecast', () => {
    expect(textOf(3)).toContain(
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
    const html = htmlOf(60, (at) => ({ source: at < 40 ? 'simulated' : 'live' }));
    const marked = /<th scope="row"><a [^>]*>[^<]*<\/a> <small>[^<]*<\/small><small> demo<\/small>/g;
    expect(html.match(marked)).toHaveLength(40);
    expect(textOfPage(html)).toContain('Demonstration. A simulated market with invented numbers.');
    expect(textOf(60)).not.toMatch(/demo\b/);
  });

  it('says once that every week of the record is a demonstration', () => {
    const text = textOf(60, () => ({ source: 'simulated' }));
    expect(text).toContain('Demonstration. A simulated market with invented numbers.');
    expect(text).not.toMatch(/demo\b/);
  });

  it('shows withheld weeks, void grades and corrected grades', () => {
    expect(htmlOf(60).match(/>withheld</g)).toHaveLength(6);
    for (const word of [' void ', ' corrected ']) expect(textOf(60)).toContain(word);
  });

  it('shows each grade of a week once, a replaced one below the grade that replaced it', () => {
    const rows = recordOf(60);
    const view = recordWeekView(rows, rows.grades.find(({ replaces }) => replaces !== null)?.week ?? '');
    const html = view === null ? '' : recordWeekHtml(view, PLACE);
    expect(html.match(/>Graded /g)).toHaveLength(view?.grades.length ?? 0);
    const tiles = html.split('<li class="tile">').filter((tile) => tile.includes('<s>'));
    expect(tiles).toEqual([expect.stringMatching(/<strong class="primary">.*<s>/)]);
  });

  it('links each week to its page', () => {
    expect(htmlOf(3).match(/href="\.\/record\/2020-W0[234]"/g)).toHaveLength(3);
  });

  it('has one sentence for a week that does not exist', () => {
    const html = noRecordHtml('There is no week 54 in 2026.', { ...PLACE, home: '../' });
    expect(html).toContain(
      '<p>There is no week 54 in 2026.</p><p><a href="../record">Open the record</a></p>',
    );
    expect(html).toContain('noindex');
  });
});
