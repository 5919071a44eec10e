import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import type { Loaded } from '#web/app/dependencies.ts';
import { inlineScriptSources, inlineStyleSources } from '../http/security-headers.ts';
import { pageTemplate } from './served-page.ts';

const TEMPLATE = `<html><head><script>theme()</script><title>Barometer Dashboard</title>
<meta property="og:title" content="Barometer Dashboard" />
<style>.page{}</style><!--static--><script>early()</script><!--/static--></head>
<body><!--static--><noscript>No.</noscript><!--/static-->
<!--page--><div id="root"><p>Loading</p></div><!--/page-->
<script type="module" src="./main.js"></script></body></html>`;
const HOSTILE = '"><script>alert(1)</script>$&<!--\u2028\u2029';
const HERE = 'http://127.0.0.1:1';

const config = (productName: string) => ({ supabaseUrl: HERE, anonKey: 'k', productName });
const served = (productName = 'Barometer', publicUrl: string | null = null) =>
  pageTemplate(TEMPLATE, config(productName), publicUrl);

/** Data that contains a text with dangerous markup. */
function hostileData(): Loaded {
  const at = Date.parse('2026-11-13T21:30:00Z');
  const view = dashboardView(EMPTY, at);
  return { at, view: { ...view, signal: { ...view.signal, headline: HOSTILE } } };
}

/** Data of Fri 13 Nov 2026 with a verdict. */
function filledData(): Loaded {
  const at = Date.parse('2026-11-13T21:30:00Z');
  return { at, view: dashboardView(FULL, at) };
}

const elementOf = (html: string, id: string): string =>
  new RegExp(`<script type="application/json" id="${id}">(.*?)</script>`, 's').exec(html)?.[1] ?? '';

describe('the head of the page', () => {
  it('has the canonical address and the share image if the address is configured', () => {
    const { shell, around } = served('Barometer', 'https://example.org/market');
    for (const html of [shell, around]) {
      expect(html).toContain('<link rel="canonical" href="https://example.org/market/">');
      expect(html).toContain('<meta property="og:url" content="https://example.org/market/">');
      expect(html).toContain('<meta property="og:image" content="https://example.org/market/og.png">');
      expect(html).toContain('<meta property="og:image:width" content="1200">');
      expect(html).toContain('<meta property="og:image:height" content="630">');
      expect(html).toContain('<meta name="twitter:card" content="summary_large_image">');
    }
  });

  it('announces the feed of signals and the feed of grades', () => {
    const { shell, around } = served();
    for (const page of [shell, around]) {
      const feeds = [
        ...page.matchAll(/<link rel="alternate" type="application\/atom\+xml" href="([^"]+)">/g),
      ];
      expect(feeds.map(([, address]) => address)).toEqual(['feed.atom', 'grades.atom']);
    }
  });

  it('has no address if none is configured', () => {
    expect(served().shell).not.toMatch(/canonical|og:url|og:image|twitter/);
    expect(served().around).not.toMatch(/canonical|og:url|og:image|twitter/);
  });

  it('has the product name, escaped [S1.5]', () => {
    const { shell } = served(HOSTILE, 'https://example.org');
    expect(shell).toContain(
      '<title>">&lt;script>alert(1)&lt;/script>$&amp;&lt;!--\u2028\u2029 Dashboard</title>',
    );
    expect(shell).toContain('<meta property="og:title" content="&quot;>&lt;script>');
    expect(shell.match(/<script/g)).toHaveLength(4);
    expect(inlineScriptSources(shell)).toEqual(inlineScriptSources(served().shell));
    expect(JSON.parse(elementOf(shell, 'barometer-config')).productName).toBe(HOSTILE);
  });

  it('marks a demonstration in the titles, which are the text of a shared link [R30]', () => {
    const data = hostileData();
    const demo = { kind: 'simulated', text: 'Demo data: invented numbers', title: '' } as const;
    const html = served().withData('', { ...data, view: { ...data.view, demo } });
    expect(html).toContain('<title>Barometer Dashboard – Demo data: invented numbers</title>');
    expect(html).toContain('"og:title" content="Barometer Dashboard – Demo data: invented numbers"');
    expect(served().withData('', data)).toContain('<title>Barometer Dashboard</title>');
  });

  it('has no reading, because other sites keep it', () => {
    const page = served('Barometer', 'https://example.org');
    const [head, headOfAll] = [page.withData('', filledData()), page.around].map(
      (html) => html.split('</head>')[0],
    );
    expect(head).toBe(headOfAll);
  });

  it('escapes the address in its attribute', () => {
    expect(served('B', 'https://example.org/a"b').shell).toContain(
      '<link rel="canonical" href="https://example.org/a%22b/">',
    );
  });
});

it('the page without data is the built page with its configuration before the first script that reads', () => {
  const { shell } = served();
  expect(shell).toContain('<div id="root"><p>Loading</p></div>');
  expect(shell).toContain('<noscript>No.</noscript>');
  expect(shell.indexOf('barometer-config')).toBeLessThan(shell.indexOf('early()'));
  expect(shell).not.toContain('<!--');
});

describe('the page with data', () => {
  const data = hostileData();
  const html = served().withData('<p>$& $1 62.4</p>', data);

  it('has its markup and its data in place of the loading state', () => {
    expect(html).toContain('<div id="root"><p>$& $1 62.4</p></div><nav ');
    expect(html).toMatch(/<script type="application\/json" id="barometer-data">.*<div id="root">/s);
    expect(html).not.toMatch(/Loading|early\(\)|<noscript>|<!--/);
    expect(elementOf(html, 'barometer-config')).toContain(HERE);
    expect(html.indexOf('barometer-config')).toBeLessThan(html.indexOf('./main.js'));
  });

  it('has links to the other pages below its markup, with the number of open gaps', () => {
    const linksOf = (open: number, checked = 90) => {
      const gaps = { open, checked, sessions: 90 };
      const [nav = ''] = /<nav .*?<\/nav>/.exec(served().withData('', data, gaps)) ?? [];
      return [...nav.matchAll(/<a href=([^>]*)>([^<]*)</g)].map(([, path, text]) => `${path} ${text}`);
    };
    expect(linksOf(2)).toEqual([
      'record Record',
      'on Past days',
      'quality Data quality ● 2 open gaps in 90 sessions',
      'method Method',
      'risk Risk',
      'openapi.json Data',
    ]);
    expect(served().withData('', filledData())).toContain('<a href=on/2026-11-12>Past days</a>');
    expect(linksOf(0)).toContain('quality Data quality ○ No open gaps in 90 sessions');
    expect(linksOf(0, 1)).toContain('quality Data quality ○ 1 of 90 sessions checked, no open gaps');
  });

  it('has data that cannot end their element and parse to the same value', () => {
    const json = elementOf(html, 'barometer-data');
    expect(json).not.toMatch(/<|\u2028|\u2029/);
    expect(JSON.parse(json)).toEqual(data);
  });

  it('has no script or style but those of the page around the data', () => {
    const { around, shell } = served();
    expect(inlineScriptSources(html)).toEqual(inlineScriptSources(around));
    expect(inlineStyleSources(html)).toEqual(inlineStyleSources(around));
    expect([inlineScriptSources(around).length, inlineScriptSources(shell).length]).toEqual([2, 2]);
  });
});

it('the script of the page with data loads after the first paint', () => {
  const { around, shell } = served();
  expect(around).not.toMatch(/<script[^>]*\bsrc=/);
  expect(around).toMatch(/PerformanceObserver.*'paint'.*<\/script>/);
  expect(shell).toMatch(/<script[^>]*\bsrc=/);
});

describe('a built page', () => {
  it.each([
    ['the place of its data', /<!--page-->|<!--\/page-->/g],
    ['the end of that place', /<!--\/page-->/],
    ['the end of a part for the page without data', /<!--\/static-->/],
    ['a title', /<title>.*<\/title>/],
    ['the end of its head', /<\/head>/],
  ])('is refused without %s', (_name, part) => {
    expect(() => pageTemplate(TEMPLATE.replace(part, ''), config('B'), null)).toThrow('Build it again');
  });

  it('is refused with two places for data', () => {
    expect(() => pageTemplate(`${TEMPLATE}<!--page--><!--/page-->`, config('B'), null)).toThrow(
      'Build it again',
    );
  });
});

describe('inline scripts and styles', () => {
  it('are allowed by the digest of the text between their tags', () => {
    // Computed by: echo -n ' go() ' | openssl dgst -sha256 -binary | base64
    const source = "'sha256-ItyZq2z2sQJf1m3DE2SwClyufv130iYP4FyyWbyq5Rw='";
    expect(inlineScriptSources('<script> go() </script>')).toEqual([source]);
    expect(inlineStyleSources('<noscript><style> go() </style></noscript>')).toEqual([source]);
  });

  it('are only those that a browser runs, without files and data blocks', () => {
    const html = [
      '<script type="module" src="./main.js"></script>',
      '<script src=x.js></script>',
      '<script type="application/json" id="c">{}</script>',
      '<script type="module">a</script>',
      "<SCRIPT type='text/javascript'>b</SCRIPT>",
      '<script>c\n</script>',
    ].join('\n');
    expect(inlineScriptSources(html)).toHaveLength(3);
  });
});
