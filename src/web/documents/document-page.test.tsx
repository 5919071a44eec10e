import { describe, expect, it } from 'vitest';
import DOCUMENT_STYLE from './document.css?inline';
import { documentHtml, THEME_SCRIPT } from './document-page.tsx';

const html = documentHtml({
  title: 'A "quoted" <title>',
  productName: 'Barometer & co',
  home: '../',
  children: <p>Words.</p>,
});

describe('a document', () => {
  it('has the script of the theme only, and one inline stylesheet', () => {
    expect(html.replace(`<script>${THEME_SCRIPT}</script>`, '')).not.toMatch(/<script|onload|javascript:/i);
    expect(html.match(/<style>([\s\S]*?)<\/style>/)?.[1]).toBe(DOCUMENT_STYLE);
    expect(html).not.toContain('rel="stylesheet"');
  });

  it('names the page and the product as text', () => {
    expect(html).toContain('<title>A &quot;quoted&quot; &lt;title&gt; – Barometer &amp; co</title>');
    expect(html).toContain('<h1>A &quot;quoted&quot; &lt;title&gt;</h1>');
  });

  it('links to the dashboard by a relative address', () => {
    expect(html).toContain('<a class="product" href="../">Barometer &amp; co</a>');
    expect(html).toContain('<a href="../record">Record</a>');
  });

  it('announces the feed of signals and the feed of grades', () => {
    const feeds =
      /<link rel="alternate" type="application\/atom\+xml" title="[^"]+" href="\.\.\/(\w+)\.atom"\/>/g;
    expect([...html.matchAll(feeds)].map(([, feed]) => feed)).toEqual(['feed', 'grades']);
  });

  it('has a noindex tag only on request', () => {
    expect(html).not.toContain('noindex');
    const hidden = { title: 'T', productName: 'P', home: './', noindex: true, children: null };
    expect(documentHtml(hidden)).toContain('<meta name="robots" content="noindex"/>');
  });
});
