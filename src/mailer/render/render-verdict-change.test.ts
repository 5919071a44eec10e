import { expect, it } from 'vitest';
import { linesOfLinks, linksOf, shownOf, wordsOf } from '#tests/support/mail-parts.ts';
import { completeMail } from './mail-page.ts';
import { renderVerdictChange } from './render-verdict-change.ts';

const UNSUBSCRIBE = 'https://barometer.example/unsubscribe/AbC-_9';

it('renders the change, the session and both links in HTML and in text', () => {
  const forAll = renderVerdictChange(
    {
      ...{ id: 3, session: '2026-11-20', at: 0, from: 'HOLD', to: 'BUY', score: 62.34 },
      ...{ source: 'live', formulaVersion: '2' },
    },
    {
      productName: 'Bar<o>meter',
      publicUrl: 'https://barometer.example',
      postalAddress: 'Harbour Street 12',
    },
  );
  const { subject, html, text } = completeMail(forAll, { unsubscribeUrl: UNSUBSCRIBE, checkpoint: null });
  expect(subject).toBe('HOLD to BUY: the verdict changed');
  for (const part of [shownOf(html), text.replace(/\s+/g, ' ')]) {
    for (const words of ['BUY', '62.3 of 100', 'from HOLD to BUY', 'Fri 20 Nov 2026', 'Harbour Street 12']) {
      expect(part).toContain(words);
    }
  }
  expect(wordsOf(shownOf(html))).toEqual(wordsOf(text));
  expect(new Set(linksOf(html))).toEqual(new Set(['https://barometer.example/', UNSUBSCRIBE]));
  expect(new Set(linesOfLinks(text))).toEqual(new Set(['https://barometer.example/', UNSUBSCRIBE]));
});
