import { describe, expect, it } from 'vitest';
import { linesOfLinks, linksOf, shownOf, wordsOf } from '#tests/support/mail-parts.ts';
import { renderConfirmation } from './render-confirmation.ts';

const FRAME = {
  productName: 'Bar<o>meter\r\nBcc: x@y.z',
  dashboardUrl: 'https://barometer.example',
  postalAddress: 'Harbour Street 12',
  confirmUrl: 'https://barometer.example/confirm/AbC-_9',
};

describe('the question to confirm', () => {
  const { subject, html, text } = renderConfirmation(FRAME);

  it('says in its subject what it is about, on one line', () => {
    expect(subject).toBe('Confirm your subscription to Bar<o>meter Bcc: x@y.z');
  });

  it('leads to its page and nowhere else', () => {
    expect(new Set(linksOf(html))).toEqual(new Set([FRAME.confirmUrl]));
    expect(linesOfLinks(text)).toEqual([FRAME.confirmUrl]);
    expect(html).not.toMatch(/<form|<img|<script/);
  });

  it('says that doing nothing is enough, how long there is to do it, and the postal address', () => {
    for (const part of [shownOf(html), text.replace(/\s+/g, ' ')]) {
      expect(part).toContain('Then do nothing');
      expect(part).toContain('You can do so for 7 days.');
      expect(part).toContain('Harbour Street 12');
    }
  });

  it('says the same in both parts; only the HTML has its link a second time, to copy', () => {
    const plain = shownOf(html).replace('If the button does not work, open this address:', '');
    expect(wordsOf(plain)).toEqual(wordsOf(text));
  });
});
