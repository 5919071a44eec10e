import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NOTICE_HEADERS, type Notice, renderNotice } from './notice-page.ts';

const NOTICE: Notice = { title: 'One <two> & "three"', paragraphs: ['First.', 'Second.'], button: 'Do it' };
const HOSTILE = '</title><script>alert(1)</script>';

const page = (notice: Notice = NOTICE, productName = 'Barometer', home = '../') =>
  renderNotice(notice, { productName, home });

describe('a notice', () => {
  it('shows its title, paragraphs and button with the product name', () => {
    const html = page();
    expect(html).toContain('<title>One &lt;two> &amp; "three" – Barometer</title>');
    expect(html).toContain('<h1>One &lt;two> &amp; "three"</h1>\n<p>First.</p>\n<p>Second.</p>');
    expect(html).toContain('<form method="post"><button type="submit">Do it</button></form>');
    expect(html).toContain('<a href="../">');
    const { button: _, ...withoutButton } = NOTICE;
    expect(page(withoutButton)).not.toContain('<form');
  });

  it('escapes the product name', () => {
    const html = page(NOTICE, HOSTILE);
    expect(html).not.toContain('<script');
    expect(html).toContain('&lt;/title>&lt;script>alert(1)&lt;/script>');
  });

  it('allows its own style only', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page()) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = NOTICE_HEADERS['Content-Security-Policy'];
    expect(policy).toContain(`default-src 'none';style-src 'sha256-${hash}';`);
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(style).toContain('--ground: light-dark(');
    expect(page()).not.toMatch(/ style=|<script|https?:/);
  });

  it('is smaller than 8 KB', () => {
    expect(page().length).toBeLessThan(8_000);
  });
});
