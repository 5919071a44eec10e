import { describe, expect, it } from 'vitest';
import { html, plainOf } from './markup.ts';

describe('markup of a template', () => {
  it('escapes every text, between tags and within quotes', () => {
    expect(html`<p title="${'"x" onload=\'y\''}">${'<b>&amp;'}</p>`.markup).toBe(
      '<p title="&quot;x&quot; onload=&#39;y&#39;">&lt;b&gt;&amp;amp;</p>',
    );
  });

  it('inserts markup unchanged and omits null', () => {
    const cells = ['a', '<'].map((text) => html`<td>${text}</td>`);
    expect(html`<tr>${cells}${null}${html`<td>${3}</td>`}</tr>`.markup).toBe(
      '<tr><td>a</td><td>&lt;</td><td>3</td></tr>',
    );
  });

  it('removes the indentation of its source, but not that of its texts', () => {
    expect(
      html`<p>
      ${'a\n  b'}
      </p>`.markup,
    ).toBe('<p>\na\n  b\n</p>');
  });

  it('converts to plain text without tags', () => {
    const text = `a < b > "c" 'd' & &amp; &lt;br&gt;`;
    expect(
      plainOf(html`<p class="x">${text}&nbsp; <b>${1}</b>
      2</p>`),
    ).toBe(`${text} 1 2`);
  });
});
