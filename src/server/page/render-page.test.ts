import { describe, expect, it } from 'vitest';
import { inlineScriptSources } from './inline-scripts.ts';
import { nameManifest } from './manifest.ts';
import { renderPage } from './render-page.ts';

const TEMPLATE = `<html><head><title>Barometer Dashboard</title>
<meta property="og:title" content="Barometer Dashboard" />
</head><body></body></html>`;
const HOSTILE = '"><script>alert(1)</script>$&';
const config = (productName: string) => ({ supabaseUrl: 'http://127.0.0.1:1', anonKey: 'k', productName });

describe('the head of the page', () => {
  it('names its own address and picture where the operator gave the address', () => {
    const html = renderPage(TEMPLATE, config('Barometer'), 'https://example.org/market');
    expect(html).toContain('<link rel="canonical" href="https://example.org/market/">');
    expect(html).toContain('<meta property="og:url" content="https://example.org/market/">');
    expect(html).toContain('<meta property="og:image" content="https://example.org/market/og.png">');
    expect(html).toContain('<meta property="og:image:width" content="1200">');
    expect(html).toContain('<meta property="og:image:height" content="630">');
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image">');
  });

  it('names no address where nobody gave one', () => {
    const html = renderPage(TEMPLATE, config('Barometer'), null);
    expect(html).not.toMatch(/canonical|og:url|og:image|twitter/);
  });

  it('carries the name of the product, whatever is in it', () => {
    const html = renderPage(TEMPLATE, config(HOSTILE), 'https://example.org');
    expect(html).toContain('<title>">&lt;script>alert(1)&lt;/script>$&amp; Dashboard</title>');
    expect(html).toContain(
      '<meta property="og:title" content="&quot;>&lt;script>alert(1)&lt;/script>$&amp; Dashboard"',
    );
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(inlineScriptSources(html)).toEqual([]);
  });

  it('keeps an address in its attribute', () => {
    const html = renderPage(TEMPLATE, config('B'), 'https://example.org/a"b');
    expect(html).toContain('<link rel="canonical" href="https://example.org/a%22b/">');
  });
});

describe('the scripts written into a page', () => {
  it('are named by the digest of exactly what stands between their tags', () => {
    // echo -n ' go() ' | openssl dgst -sha256 -binary | base64
    expect(inlineScriptSources('<script> go() </script>')).toEqual([
      "'sha256-ItyZq2z2sQJf1m3DE2SwClyufv130iYP4FyyWbyq5Rw='",
    ]);
  });

  it('are those a browser runs, without the files and the blocks of data', () => {
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

describe('the web manifest', () => {
  it('takes the name of the product and keeps all else', () => {
    const named = JSON.parse(nameManifest('{"name":"Barometer Dashboard","start_url":"./"}', 'A "B"'));
    expect(named).toEqual({ name: 'A "B" Dashboard', short_name: 'A "B"', start_url: './' });
  });
});
