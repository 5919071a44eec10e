import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { completeMail } from '#mailer/render/mail-page.ts';
import { renderConfirmation } from '#mailer/render/render-confirmation.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { findingsOf } from '../support/accessibility.ts';
import { pagesForTests } from '../support/pages.ts';
import { demoSignal, hostileSignal, sampleSignal } from '../support/weekly-signal.ts';

const freshPage = pagesForTests();

const LONG = `"${'W'.repeat(150)}"`;
const FRAME = {
  productName: 'Barometer',
  publicUrl: 'https://barometer.example',
  postalAddress: 'Barometer, 12 Harbour Street, Dublin 2',
};

const hostile = hostileSignal({
  headline: LONG,
  rows: sampleSignal().rows.map((row) => ({ ...row, name: LONG, note: LONG })),
  sp500: {
    name: LONG,
    price: { value: 1e12, text: '1,000,000,000,000.00' },
    atText: 'at 13:05 New York time',
  },
});

const MAILS = {
  'the weekly signal': renderWeeklySignal(demoSignal(), FRAME).html,
  'the weekly signal of long names': completeMail(
    renderWeeklySignal(hostile, { ...FRAME, productName: LONG, postalAddress: LONG }),
    { unsubscribeUrl: `https://barometer.example/unsubscribe/${'x'.repeat(300)}`, checkpoint: null },
  ).html,
  'the question to confirm': renderConfirmation(FRAME, `https://barometer.example/confirm/${'x'.repeat(43)}`)
    .html,
};
const [signal = ''] = Object.values(MAILS);

/** The mail in a client that removes style sheets and everything around the body. */
const stripped = (html: string) =>
  html.replace(
    /<!--[\s\S]*?-->|<style>[\s\S]*?<\/style>|<!doctype html>|<\/?(html|head|body)\b[^>]*>|<meta[^>]*>/g,
    '',
  );

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

/** Accessibility rules that a mail breaks only because no mail client surrounds it. */
const AROUND = /^(landmark-one-main|region):/;

describe('a mail in a client', () => {
  it.each(Object.entries(MAILS))(
    '%s fits a small phone, with and without its style sheets',
    async (_, html) => {
      const page = await freshPage({ viewport: { width: 320, height: 800 } });
      for (const shown of [html, stripped(html)]) {
        await page.setContent(shown);
        expect(await widthOf(page)).toBe(320);
        expect(await page.getByRole('link').last().isVisible()).toBe(true);
      }
    },
  );

  it('is one column of 600 px in a wide window', async () => {
    const page = await freshPage();
    await page.setContent(signal);
    const boxes = await Promise.all(
      ['h1', 'h2', 'th'].map((name) => page.locator(name).first().boundingBox()),
    );
    for (const box of boxes) {
      expect(box?.x).toBeGreaterThan(340);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(940);
    }
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility violation in a %s scheme',
    async (colorScheme) => {
      const page = await freshPage({ colorScheme });
      for (const html of Object.values(MAILS)) {
        await page.setContent(html);
        const { violations, undecided } = await findingsOf(page);
        expect(violations.filter((violation) => !AROUND.test(violation))).toEqual([]);
        expect(undecided).not.toContain('color-contrast');
      }
    },
  );

  it('is dark on a dark system, and light in a client without colour schemes', async () => {
    const page = await freshPage({ colorScheme: 'dark' });
    const ground = () =>
      page.evaluate(
        () => getComputedStyle(document.querySelector('td[class*=card]') ?? document.body).backgroundColor,
      );
    await page.setContent(signal);
    expect(await ground()).toBe('rgb(18, 24, 38)');
    await page.setContent(stripped(signal));
    expect(await ground()).toBe('rgb(253, 252, 250)');
  });

  it('is read out in its visual order', async () => {
    const page = await freshPage();
    await page.setContent(signal);
    const headings = await page.getByRole('heading').allInnerTexts();
    expect(headings[0]).toMatch(/^HOLD\s+56\.9 of 100$/);
    expect(headings.slice(1)).toEqual([
      'Since last week',
      'Signal Breakdown',
      'Fear & Greed',
      'Would turn to BUY',
      'S&P 500',
    ]);
    const row = page.getByRole('row', { name: /Overall Strength/ }).last();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['58.1', '20%', '11.620']);
    expect(await page.getByRole('article').getAttribute('aria-label')).toBe(
      'HOLD 57 (demo data): up 7.5 since last week',
    );
  });
});
