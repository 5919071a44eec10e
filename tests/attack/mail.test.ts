import { describe, expect, it } from 'vitest';
import { completeMail } from '#mailer/render/mail-page.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { complaintsOf } from '../support/complaints.ts';
import { pagesForTests } from '../support/pages.ts';
import { sampleSignal } from '../support/weekly-signal.ts';
import { ALL_AT_ONCE, HOSTILE } from './hostile-text.ts';

const freshPage = pagesForTests();

/** A copy of a value with each text at any depth replaced by `text`. */
function replaced<Value>(value: Value, text: string): Value {
  if (typeof value === 'string') return text as Value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, text)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, replaced(item, text)]),
  ) as Value;
}

/** A signal with hostile texts, but for keywords that select our own words and colours. */
const hostileSignal = (text: string) => {
  const view = sampleSignal();
  return {
    ...view,
    headline: text,
    sp500: view.sp500 && { ...view.sp500, name: text },
    rows: view.rows.map((row) => ({ ...row, name: text, note: replaced(row.note, text) })),
  };
};

describe('the weekly signal by mail', () => {
  it.each(HOSTILE)(
    'the name %j appears as text, without script, request or header injection',
    async (text) => {
      const mail = renderWeeklySignal(hostileSignal(text), {
        productName: text,
        publicUrl: 'https://barometer.example',
        postalAddress: text,
      });
      const unsubscribeUrl = 'https://barometer.example/unsubscribe/AbC-_9';
      const { html, subject } = completeMail(mail, { unsubscribeUrl, checkpoint: null });
      expect(subject).not.toMatch(/[\r\n]/);
      const page = await freshPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.setContent(html);
      const found = await page.evaluate(() => ({
        ran: 'planted' in window,
        elements: document.querySelectorAll('script, img, svg, iframe, base, form, [onerror], [onload], link')
          .length,
        elsewhere: [...document.querySelectorAll('a')].filter(
          ({ origin }) => origin !== 'https://barometer.example',
        ).length,
      }));
      expect(found).toEqual({ ran: false, elements: 0, elsewhere: 0 });
      expect(asked).toEqual([]);
      expect(complaintsOf(page)).toEqual([]);
      if (text === ALL_AT_ONCE) expect(await page.locator('body').textContent()).toContain('</script><!--"');
    },
  );
});
