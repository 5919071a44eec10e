import { describe, expect, it } from 'vitest';
import { linesOfLinks, linksOf, shownOf, wordsOf } from '#tests/support/mail-parts.ts';
import {
  demoSignal,
  hostileSignal,
  sampleSignal,
  thinSignal,
  wholeSignal,
} from '#tests/support/weekly-signal.ts';
import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { completeMail } from './mail-page.ts';
import { renderWeeklySignal } from './render-weekly-signal.ts';

const FRAME = {
  productName: 'Barometer',
  publicUrl: 'https://barometer.example/markets',
  postalAddress: 'Barometer, 12 Harbour Street, Dublin 2',
};

const LONG = 'W'.repeat(120);
const EVIL = `\u202e<img src=x onerror="alert(1)">\r\nBcc: a@b.c &amp; '${LONG}`;

function evilSignal(): WeeklySignalView {
  const view = hostileSignal();
  const { sinceLastWeek } = view;
  return {
    ...view,
    subject: EVIL,
    headline: EVIL,
    sp500: { name: EVIL, price: { value: 1, text: '1.00' }, atText: 'at the close' },
    rows: view.rows.map((row) => ({ ...row, name: EVIL, note: EVIL })),
    sinceLastWeek: sinceLastWeek && {
      ...sinceLastWeek,
      parts: sinceLastWeek.parts?.map((part) => ({ ...part, name: EVIL })) ?? null,
    },
  };
}

const incomparable = (): WeeklySignalView => {
  const { sinceLastWeek } = sampleSignal();
  const text = '5 of 7 inputs were measured then, 7 now, so the parts cannot be compared';
  return sampleSignal({ sinceLastWeek: sinceLastWeek && { ...sinceLastWeek, parts: null, text } });
};

const VIEWS = {
  'with a range': sampleSignal(),
  whole: wholeSignal(),
  'of a demonstration': demoSignal(),
  'with the least it can have': thinSignal(),
  'with parts that cannot be compared': incomparable(),
  'without Fear & Greed, index and next verdict': sampleSignal({ fearGreed: null, sp500: null, next: null }),
  'with a headline without points': sampleSignal({ effectsNote: null }),
} satisfies Record<string, WeeklySignalView>;

/** Fields whose texts the mail does not contain: the subject, keywords, and texts that the mail words differently. */
const NOT_SHOWN = new Set([
  'subject',
  'session',
  'input',
  'zone',
  'kind',
  'tone',
  'title of demo',
  'text of change',
]);

/** Returns all texts of the view that the mail must contain. */
function textsOf(data: unknown, key = ''): string[] {
  if (typeof data === 'string') return NOT_SHOWN.has(key) ? [] : [data];
  if (typeof data !== 'object' || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((one) => textsOf(one));
  const isDemo = 'kind' in data;
  const compares = 'parts' in data && data.parts !== null;
  return Object.entries(data).flatMap(([name, value]) => {
    if (isDemo && name === 'title') return textsOf(value, 'title of demo');
    return textsOf(value, compares && name === 'text' ? 'text of change' : name);
  });
}

describe.each(Object.entries(VIEWS))('the weekly signal %s', (_, view) => {
  const unsubscribeUrl = 'https://barometer.example/unsubscribe/AbC-_9';
  const { html, text } = completeMail(renderWeeklySignal(view, FRAME), { unsubscribeUrl, checkpoint: null });

  it('has the same words and links in HTML and plain text', () => {
    expect(wordsOf(shownOf(html))).toEqual(wordsOf(text));
    expect(linksOf(html)).toEqual([FRAME.publicUrl, unsubscribeUrl]);
    expect(linesOfLinks(text)).toEqual(linksOf(html));
  });

  it('shows every text and number of its view', () => {
    const said = [shownOf(html), text].map((part) => ` ${wordsOf(part).join(' ')} `);
    const texts = textsOf(view);
    expect(texts.length).toBeGreaterThan(30);
    for (const part of said) {
      expect(texts.filter((one) => !part.includes(` ${wordsOf(one).join(' ')} `))).toEqual([]);
    }
  });
});

it('has a sentence about the next four weeks, and that it says nothing about direction', () => {
  const riskText = 'A usual week of the next four moves the S&P 500 by about 2.0% up or down.';
  const { text } = renderWeeklySignal({ ...incomparable(), riskText }, FRAME);
  expect(text.replace(/\s+/g, ' ')).toContain(`${riskText} This says nothing about direction`);
  expect(renderWeeklySignal(incomparable(), FRAME).text).not.toContain('nothing about direction');
});

it('has the way to the next verdict in one sentence', () => {
  const { text } = renderWeeklySignal(wholeSignal(), FRAME);
  expect(text.replace(/\s+/g, ' ')).toMatch(
    / [\d.]+ points up, if [\w& ]+ alone went from [\d.]+ to [\d.]+\./,
  );
});

describe('the plain part', () => {
  it('has at most 72 columns except for links', () => {
    for (const view of [...Object.values(VIEWS), evilSignal()]) {
      const lines = renderWeeklySignal(view, { ...FRAME, productName: EVIL, postalAddress: EVIL }).text.split(
        '\n',
      );
      expect(lines.filter((line) => [...line].length > 72 && !line.startsWith('https://'))).toEqual([]);
    }
  });

  it('draws the score among the zones', () => {
    const drawn = (value: number, verdict: 'SELL' | 'BUY') => {
      const view = sampleSignal({ verdict, score: { value, text: value.toFixed(1) } });
      return /^\[.*\]$/m.exec(renderWeeklySignal(view, FRAME).text)?.[0];
    };
    expect(drawn(0, 'SELL')).toMatch(/^\[#\+{23}\|-{11}\|-{23}\]$/);
    expect(drawn(100, 'BUY')).toMatch(/^\[-{24}\|-{11}\|\+{22}#\]$/);
  });
});

describe('the HTML part', () => {
  const { html } = renderWeeklySignal(VIEWS['of a demonstration'], FRAME);

  it('begins with the demonstration notice', () => {
    expect(shownOf(html)).toMatch(/^\s*Demo data: invented numbers /);
    expect(shownOf(html)).not.toContain('TradingView');
  });

  it('has no script, remote resource or tracking', () => {
    expect(html).not.toMatch(
      /<(img|script|link|iframe|form|svg|video)\b|\bsrc=|url\(|@import|@font-face|\bon\w+=/i,
    );
  });

  it('is well below 102 KB, where Gmail clips a mail', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(36_000);
  });

  it('has style sheets only for the dark scheme, wide windows and Outlook', () => {
    const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, sheet = '']) => sheet.trim());
    expect(sheets.map((sheet) => /^[^{]*/.exec(sheet)?.[0])).toEqual([
      'body,table,td,th,p,a,h1,h2,strong,span,div',
      ':root',
      '@media (prefers-color-scheme:dark)',
      expect.stringMatching(/^\[data-ogs/),
    ]);
    const dark = sheets[2]?.match(/\.[\w-]+(?=\{)/g) ?? [];
    const classes = [...html.matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' '));
    expect(new Set(dark.map((name) => name.slice(1)))).toEqual(
      new Set(classes.filter((name) => name.includes('_'))),
    );
  });

  it('marks data tables and their headings for screen readers', () => {
    const tables = html.match(/<table[^>]*>/g) ?? [];
    expect(tables.filter((table) => !table.includes('role="presentation"'))).toHaveLength(2);
    expect(html.match(/<th scope="col"/g)).toHaveLength(4);
    expect(html.match(/<th scope="row"/g)).toHaveLength(16);
    expect(html.match(/<h1/g)).toHaveLength(1);
  });
});

describe('a mail with hostile names', () => {
  const frame = { ...FRAME, productName: EVIL, postalAddress: EVIL };
  const { subject, html, text } = renderWeeklySignal(evilSignal(), frame);

  it('shows the hostile names as text in both parts', () => {
    expect(html).not.toMatch(/<img/i);
    expect(shownOf(html)).toContain('<img src=x onerror="alert(1)"> Bcc: a@b.c &amp; \'WWW');
    // The plain text breaks long words, so this compares the letters only.
    expect(wordsOf(shownOf(html)).join('')).toBe(wordsOf(text).join(''));
  });

  it('has a subject of one line without direction marks', () => {
    expect(subject).toMatch(/^<img [^\r\n\u202e]*$/);
    expect(html + text).not.toMatch(/\u202e|\r/);
  });

  it('does not turn a hostile name into a class of its style sheet', () => {
    const view = sampleSignal({ headline: 'class="fill_nothing" ink_none' });
    expect(renderWeeklySignal(view, FRAME).html).not.toMatch(/\.(fill_nothing|ink_none)/);
  });

  it('throws for a link that is not http(s)', () => {
    const wrong = { ...FRAME, publicUrl: 'javascript:alert(1)' };
    expect(() => renderWeeklySignal(VIEWS.whole, wrong)).toThrow('absolute http(s) URL');
  });
});

it('shows the points of the page, which add up to the score [R24]', () => {
  for (const view of [wholeSignal(), thinSignal()]) {
    const { html, text } = renderWeeklySignal(view, FRAME);
    const shown = shownOf(html);
    let thousandths = 0;
    for (const { score, weightText, points } of view.rows) {
      const row = [score.text, weightText, points.text];
      expect(shown).toContain(row.join(' '));
      expect(text.replaceAll(/ +/g, ' ')).toContain(row.join(' '));
      if (points.value === null) continue;
      // The shown weight has two decimals, so the product is up to half a hundredth off.
      const product = Number(score.text) * (Number.parseFloat(weightText) / 100);
      expect(Math.abs(Number(points.text) - product)).toBeLessThan(0.006);
      thousandths += Math.round(Number(points.text) * 1000);
    }
    expect((Math.round(thousandths / 100) / 10).toFixed(1)).toBe(view.score.text);
  }
});

it('ends both parts with the lines of the checkpoint, if the ledger has one', () => {
  const personal = { unsubscribeUrl: 'https://barometer.example/unsubscribe/x' };
  const checkpoint = 'barometer-ledger/0\n12\nroot=\n\n— barometer-ledger/0 signature\n';
  const mail = renderWeeklySignal(VIEWS.whole, FRAME);
  const { html, text } = completeMail(mail, { ...personal, checkpoint });
  expect(text.endsWith(`\n\n${checkpoint}`)).toBe(true);
  expect(text).toContain('prove the record');
  expect(html).toMatch(/<pre[^>]*>barometer-ledger\/0\n12\nroot=\n\n— barometer-ledger\/0 signature<\/pre>/);
  const without = completeMail(mail, { ...personal, checkpoint: null });
  expect(without.html + without.text).not.toMatch(/prove the record|<!--checkpoint-->|<pre/);
});
