import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { INDICATORS } from '#domain/bands/indicator-bands.ts';
import { EMPTY, fullWith } from '#tests/support/dashboard-rows.ts';
import { rowsFrom } from '#tests/support/weekly-signal.ts';
import { type DashboardRows, dashboardView } from '#views/dashboard-view.ts';
import { EXPLANATIONS } from '#views/explanations.ts';
import { INPUT_NAMES } from '#views/signal-inputs.ts';
import { pageMarkup } from '../page-markup.tsx';
import { Gauge } from '../panels/fear-greed/gauge.tsx';
import { Overview } from '../panels/fear-greed/overview.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';

const at = Date.parse('2026-11-13T21:30:00Z');
const full = rowsFrom('simulated');

const settings = {
  productName: 'Barometer',
  widgetSymbols: null,
  ownWidgets: false,
  doubleOptIn: false,
};

const render = (rows: DashboardRows | null, readAt = at) =>
  pageMarkup(settings, rows && { view: dashboardView(rows, readAt), at: readAt });

const words = (html: string) =>
  html
    .replaceAll(/<!-- -->|<span class="unit">/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

const headingsOf = (rows: DashboardRows) =>
  [...render(rows).matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, inner]) => words(inner ?? '').trim());

test('a page without data shows that it is loading, with its refresh disabled [S2.2] [S2.6]', () => {
  const text = words(render(null));
  expect(render(null)).toMatch(/<button[^>]*aria-label="Refresh"[^>]* disabled=""/);
  expect(text).toContain('Barometer Dashboard Real-time market analysis and insights');
  expect(text).toContain('Get the Weekly Signal');
  expect(text).toContain('Loading market data...');
});

test('a page with data has its sections in the specified order [S1.1] [S2.15] [S2.16] [S2.30]', () => {
  expect(headingsOf(full)).toEqual([
    'Market Signal',
    'Market Sentiment Analysis',
    'Price Chart',
    'Fear & Greed Index',
    'Market Exposure',
    'Overall Strength',
    'Top Gainers and Losers',
    'S&P 500 Heatmap',
    `Advanced Market Indicators, Sectors & Breadth ${Object.keys(INDICATORS).length + 12} metrics`,
    'Market Insights',
    'Where these numbers come from',
  ]);
});

test('the markup has final numbers with their age and their origin [S3.7] [S9.20] [R8] [R17]', () => {
  const text = words(render(full));
  const numbers = [
    '6,734.11',
    '62.4',
    '54.0',
    '58.1',
    '61.0',
    '58.4',
    '−1.14',
    '17.00',
    '31.0%',
    '1,362',
    '1,032',
  ];
  for (const expected of [...numbers, 'Demo data: invented numbers']) expect(text).toContain(expected);
  expect(text).toContain('As of Fri 13 Nov 2026');
  expect(text).toMatch(/S&P 500 6,734\.11 \+41\.42 \(?\+0\.62%\)? /);
  expect(text).toMatch(/demonstration only.*not financial advice/);
});

test('the footer says what the data are for [S1.4] [R30]', () => {
  const footer = (rows: DashboardRows | null) => /<footer.*<\/footer>/s.exec(render(rows))?.[0];
  const demonstration = 'Barometer shows this data for demonstration only. It is not financial advice.';
  expect(footer(full)).toContain(demonstration);
  expect(footer(null)).toContain(demonstration);
  expect(footer(rowsFrom('live'))).toContain('<p>Barometer is not financial advice.</p>');
});

test('has cards, gauge and widgets as specified [S2.13] [S2.18] [S2.26]', () => {
  const text = words(render(full));
  expect(text).toContain('Extreme Fear Fear Neutral Greed Extreme Greed 1Y AGO');
  expect(text).toContain('Market Exposure % of market participating 54.0 %');
  expect(text).toContain('Overall Strength Barometer score 58.1 %');
  expect(text).toMatch(/1Y AGO .*NOW /);
  const withoutYear = { ...full, fearGreed: { ...full.fearGreed, oneYearAgo: null } };
  expect(words(render(withoutYear))).not.toContain('1Y AGO');
  // The page reserves heights of 500, 550 and 600 px before a frame exists. The attribution takes 32 px of each.
  const heights = [...render(full).matchAll(/class="widget-height" width="1" height="(\d+)"/g)];
  expect(heights.map(([, height]) => Number(height) + 32)).toEqual([500, 550, 600]);
});

test('has changes, earlier values and shares with their words [S2.20] [S2.28] [R15]', () => {
  const text = words(render(full));
  for (const each of [
    'Market momentum 71.0 Greed ▴ +2.6 (Rising) Price strength 58.0 Greed 0.0 (Unchanged) ',
    'Price breadth 64.0 Greed ▾ −2.0 (Falling) ',
    'Previous close 12 Nov 2026 59.2 Greed 1 week ago 6 Nov 2026 52.0 Neutral 1 year ago 13 Nov 2025 38.0 Fear ',
    'Bullish 61.0 Momentum turned up this week on rising volume. RSI 58.4 (neutral) MACD −1.14 (negative) MA Trend Bullish (positive) Volume Stable (neutral) ',
    'Advancing (positive) 1,362 54.5% Unchanged (neutral) 106 4.2% Declining (negative) 1,032 41.3% ',
  ])
    expect(text).toContain(each);
});

test('has the sentiment of three timeframes with their spans, in this order [S2.10]', () => {
  expect(words(render(full))).toMatch(
    / Short Term 1-5 Days .* Medium Term 1-3 Months .* Long Term 6-12 Months /,
  );
});

test('draws breadth as one bar in three parts, as long as their shares', () => {
  const parts = render(full).matchAll(/class="bar-part" data-tone="(\w+)" x="([\d.]+)%" width="([\d.]+)%"/g);
  const places = [...parts].slice(-3).map(([, tone, from, length]) => [tone, Number(from), Number(length)]);
  expect(places).toEqual([
    ['positive', 0, 54.5],
    ['neutral', 54.5, 4.2],
    ['negative', expect.closeTo(58.7), 41.3],
  ]);
});

test('the needle of a year ago points at its value on the half circle [S2.19]', () => {
  const year = full.fearGreed.oneYearAgo?.index_value ?? Number.NaN;
  const line = /class="gauge-year-ago"><line x1="([-\d.]+)" y1="([-\d.]+)" x2="([-\d.]+)" y2="([-\d.]+)"/;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = line.exec(render(full))?.slice(1).map(Number) ?? [];
  expect((Math.atan2(y1 - y2, x1 - x2) * 100) / Math.PI).toBeCloseTo(year, 0);
});

test('no attribute ends in digits that depend on the engine', () => {
  const attributes = [...render(full).matchAll(/ [\w-]+="[^"]*"/g)].map(([attribute]) => attribute);
  expect(attributes.filter((attribute) => /\d\.\d{6}/.test(attribute))).toEqual([]);
});

test('only changed numbers have triangles [R15]', () => {
  const html = render(fullWith({ indicators: { vix: 12, vix_change: 0.17 } }));
  // Components of Fear & Greed compared with the previous close.
  expect(html.match(/data-tone="\w+" aria-hidden="true">[▴▾]?</g)).toHaveLength(5);
  const statuses = [...html.matchAll(/<span class="status" data-tone="(\w+)"><span>([^<]*)<\/span>/g)];
  expect(statuses.find(([, , word]) => word === 'Rising')?.[1]).toBe('negative');
  expect(statuses.find(([, , word]) => word === 'Low Volatility')?.[1]).toBe('positive');
});

test('describes gauge, scale and bars in words, and the breakdown by its headers [R15]', () => {
  const html = render(full);
  expect(html).toMatch(
    /aria-label="Fear &amp; Greed stands at 62\.4 of 100, Greed\. A year ago it stood at /,
  );
  expect(html).toMatch(
    /aria-label="Score 56\.9 of 100: HOLD\. .*Scale: SELL 0 to 41, HOLD 41 to 61, BUY 61 to 100\./,
  );
  const drawings = [...html.matchAll(/<svg[^>]*>/g)].map(([tag]) => tag);
  expect(drawings.filter((tag) => !/role="img"|aria-hidden="true"/.test(tag))).toEqual([]);
  const bars = [...html.matchAll(/<li class="bar-row component-row.*?<\/li>/gs)].map(([row]) => words(row));
  expect(bars).toHaveLength(7);
  for (const bar of bars) expect(bar).toMatch(/[a-z].* (\d+\.\d.*(Fear|Neutral|Greed)|— )/);
  const headers = [...html.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, name = '']) => words(name));
  const last = ['vs 50', 'Points'];
  expect(headers.slice(0, 6)).toEqual(['Input', 'Score', 'Weight', 'holds back ◂ 50 ▸ lifts', ...last]);
  const rows = [...html.matchAll(/<th scope="row"[^>]*>([^<]*)/g)].map(([, name = '']) => words(name));
  expect(rows.slice(0, 8)).toEqual([...Object.values(INPUT_NAMES), 'Weighted score']);
});

test('the ratio of advancing to declining stocks is green above 1 [S2.28] [S3.2] [S9.8]', () => {
  const ratioOf = (advancing_stocks: number, declining_stocks: number) =>
    /<strong class="toned"( data-tone="\w+")?>([\d.—]+)<\/strong> <span class="(?:quiet">([^<]*))?/.exec(
      render(fullWith({ breadth: { advancing_stocks, declining_stocks, unchanged_stocks: 0 } })),
    );
  expect(ratioOf(6, 5)?.slice(1, 3)).toEqual([' data-tone="positive"', '1.20']);
  expect(ratioOf(5, 6)?.slice(1, 3)).toEqual([' data-tone="negative"', '0.83']);
  expect(ratioOf(0, 0)?.slice(1)).toEqual([undefined, '—', 'No stocks counted']);
});

test('explains the put/call ratio of the evening, and each substitute [S3.5]', () => {
  const live = rowsFrom(
    'live',
    fullWith({ indicators: { put_call_ratio: null, tick_index: 412, tick_universe: 'S&P 500' } }),
  );
  const text = words(render(live));
  expect(text).toContain('without put/call until evening');
  expect(text).toMatch(/Put\/Call Ratio .*?— Published in the evening/);
  expect(text).toMatch(/TICK Index S&P 500, proxy .*?\+412 Strong/);
});

test('a sector is Strong from 70, Weak below 50, otherwise Neutral [S2.27] [S3.4] [S9.7]', () => {
  const strengths = [49.94, 49.95, 69.94, 69.95, null];
  const sectors = full.sectors.map((row, at) => ({ ...row, strength: strengths[at] ?? null }));
  const text = words(render({ ...full, sectors }));
  const shown = ['Weak 49.9 / 100', 'Neutral 50.0 / 100', 'Neutral 69.9 / 100', 'Strong 70.0 / 100'];
  for (const each of [...shown, '— Not measured —']) expect(text.replaceAll('%', '')).toContain(each);
});

test('has a button that explains each metric, in each of its places', () => {
  const buttons = [...render(full).matchAll(/aria-label="About ([^"]*)"/g)].map(([, name = '']) =>
    words(name),
  );
  expect(new Set(buttons)).toEqual(new Set(Object.values(EXPLANATIONS).map(({ name }) => name)));
  const inputs = ['Fear & Greed', 'Market Breadth', 'Market Exposure', 'Overall Strength', 'Sector Strength'];
  expect(buttons.filter((name, at) => buttons.indexOf(name) < at).toSorted()).toEqual([...inputs, 'Volume']);
});

test('names the sectors without a row', () => {
  expect(words(render({ ...full, sectors: full.sectors.slice(0, 10) }))).toContain(
    'Sector Strength 10 of 11 sectors. No data for Utilities.',
  );
});

test('closes the advanced section at first [S2.29] [S4.5]', () => {
  expect(render(full)).toMatch(/aria-expanded="false".*<div id="advanced-content"[^>]* hidden=""/);
});

test('the signal card links to the record only on a page of a server with a record', () => {
  const view = dashboardView(full, at);
  const record = 'On record since 22 Nov 2025: 43 weeks; too few to say';
  expect(pageMarkup(settings, { view, at, record })).toContain(`<a href="record">${record}</a>`);
  expect(pageMarkup(settings, { view, at, record: null })).not.toContain('ecord since');
  expect(pageMarkup(settings, { view, at })).not.toContain('ecord since');
});

test('states on the card that an input is missing [S2.31]', () => {
  const text = words(render({ ...full, sentiment: full.sentiment.slice(0, 1) }));
  expect(text).toContain(
    '6 of 7 inputs, 1 incomplete, all from the session of Fri 13 Nov 2026. This signal is for informational purposes only and is not financial advice. It describes the market and does not forecast it.',
  );
  expect(text).toMatch(/With every input measured, the score could be anywhere from \d\d\.\d to \d\d\.\d: /);
  expect(text).toMatch(/ missing: (?:still (?:HOLD|BUY)|SELL or HOLD possible|HOLD or BUY possible) /);
  expect(text).toContain('Market Signal as of Fri 13 Nov 2026, close');
  expect(text).toContain(' Signal Breakdown ');
  const { range } = dashboardView({ ...full, sentiment: full.sentiment.slice(0, 1) }, at).signal;
  const [low, high] = [range?.low ?? Number.NaN, range?.high ?? Number.NaN];
  // The trail shows 18 to 84 points.
  const [top, height] = [84 - high, high - low].map((points) => Math.round((100 * points) / 66));
  expect(render({ ...full, sentiment: full.sentiment.slice(0, 1) })).toContain(
    `class="whisker" x="-10" width="4" y="${top}%" height="${height}%"`,
  );
  expect(render(full)).not.toContain('..');
});

test('keeps the specified weights in a breakdown without a verdict', () => {
  const text = words(render({ ...full, metrics: null }));
  expect(text).toContain('Insufficient data');
  expect(text).toMatch(/Fear & Greed 62\.4 20% — — Overall Strength not measured — 20% — —/);
  expect(text).not.toContain('anywhere from');
});

test('omits empty parts without a replacement, and shows no number but the weights [R5]', () => {
  const text = words(render(EMPTY));
  expect(text).toContain('Insufficient data');
  const rows = [...render(EMPTY).matchAll(/<tr[ >].*?<\/tr>/gs)].slice(1).map(([row]) => words(row));
  expect(rows).toHaveLength(8);
  for (const row of rows) expect(row.replace(/\d+%/g, '')).not.toMatch(/\d/);
  expect(text).toContain('0 of 7 inputs');
  expect(text).toContain('No data yet');
  expect(text).not.toMatch(/As of|Overall Strength 0|Demo data/);
  const sections = ['Market Signal', 'Price Chart', 'Top Gainers and Losers', 'S&P 500 Heatmap'];
  expect(headingsOf(EMPTY)).toEqual(sections);
});

test('the markup shows each clock at the time of the reads', () => {
  const html = render(full);
  expect(words(html)).toContain('Market closed until Mon 16 Nov, 09:30 New York time');
  expect(words(html)).not.toContain('behind');
  const later = render(full, Date.parse('2026-11-17T15:00:00Z'));
  expect(words(later)).toContain('Market open, closes at 16:00 New York time');
  expect(words(later)).toContain('1 session behind');
  expect([html, later].map((page) => />(NOW|13 Nov)</.exec(page)?.[1])).toEqual(['NOW', '13 Nov']);
  expect(later).toContain('<noscript>Tue 17 Nov 2026 15:00 UTC</noscript>');
  expect(later).toMatch(/<noscript><p[^>]*>JavaScript is off, so the numbers do not refresh\./);
  expect(render(null)).not.toContain('<noscript>');
});

test('the markup has no local time of the visitor [S2.5]', () => {
  const html = render(full).replaceAll(/<noscript>.*?<\/noscript>/g, '');
  expect(words(html)).toContain('Last updated 00:00 your time · Next refresh 00:00');
});

test('has no style attribute, which a strict content security policy refuses', () => {
  expect(render(full)).not.toContain('style=');
});

test('only a page from a server offers to share it and links to past days', () => {
  const linksOf = (html: string) => html.match(/href="on\/[\d-]+"/g) ?? [];
  const served = render(full);
  expect(linksOf(served)).toContain('href="on/2026-11-12"');
  expect(served).toContain('>Share</button>');
  // The panels of the page of a past day, which has no script.
  const { signal, fearGreed } = dashboardView(full, at);
  const alone = renderToString(
    <>
      <SignalPanel view={signal} />
      {fearGreed !== null && <Overview view={fearGreed} Gauge={Gauge} />}
    </>,
  );
  expect(alone).toContain('12 Nov 2026');
  expect([linksOf(alone), alone.includes('Share')]).toEqual([[], false]);
});
