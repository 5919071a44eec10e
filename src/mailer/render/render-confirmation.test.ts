import { describe, expect, it } from 'vitest';
import { linesOfLinks, linksOf, shownOf, wordsOf } from '#tests/support/mail-parts.ts';
import { renderConfirmation } from './render-confirmation.ts';

const FRAME = {
  productName: 'Bar<o>meter\r\nBcc: x@y.z',
  publicUrl: 'https://barometer.example',
  postalAddress: 'Harbour Street 12',
};
const CONFIRM = 'https://barometer.example/confirm/AbC-_9';

describe('the confirmation mail', () => {
  const { subject, html, text } = renderConfirmation(FRAME, CONFIRM);

  it('has a subject of one line', () => {
    expect(subject).toBe('Confirm your subscription to Bar<o>meter Bcc: x@y.z');
  });

  it('links to the confirmation page only', () => {
    expect(new Set(linksOf(html))).toEqual(new Set([CONFIRM]));
    expect(linesOfLinks(text)).toEqual([CONFIRM]);
    expect(html).not.toMatch(/<form|<img|<script/);
  });

  it('shows the time limit and the postal address', () => {
    for (const part of [shownOf(html), text.replace(/\s+/g, ' ')]) {
      expect(part).toContain('If this was not you, do nothing');
      expect(part).toContain('It is valid for 7 days.');
      expect(part).toContain('Harbour Street 12');
    }
  });

  it('has the same words in both parts, except the second link of the HTML', () => {
    const plain = shownOf(html).replace('If the button does not work, open this address:', '');
    expect(wordsOf(plain)).toEqual(wordsOf(text));
  });
});
