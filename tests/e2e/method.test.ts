import type { Page } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { findingsOf } from '../support/accessibility.ts';
import { faultsOf } from '../support/layout.ts';
import { pagesForTests } from '../support/pages.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();
const FLIGHT = 14_600;

async function openMethod(options: Parameters<typeof fresh>[0] = {}): Promise<Page> {
  const page = await fresh(options);
  await page.goto(`${url}/method`);
  return page;
}

describe('the page about the method', () => {
  it('is linked from the record, and says that its numbers are a demonstration', async () => {
    const page = await fresh();
    await page.goto(`${url}/record`);
    await page.getByRole('link', { name: 'Method' }).click();
    await page.getByRole('heading', { name: 'How the score works' }).waitFor();
    expect(await page.getByText(/^Demonstration: /).count()).toBe(1);
    await page.getByRole('link', { name: 'What would flip the verdict' }).click();
    expect(new URL(page.url()).hash).toBe('#flip');
  });

  it('needs no script and fits into the first ten packets', async () => {
    const response = await fetch(`${url}/method`);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';style-src 'sha256-/);
    expect(await response.text()).not.toMatch(/<script/i);
    const { answers } = await exchange(url, rawRequest('GET', '/method', [['Accept-Encoding', 'br']]), {
      answers: 1,
    });
    const [answer] = answers;
    expect((answer?.head.length ?? Number.NaN) + (answer?.body.length ?? 0)).toBeLessThan(FLIGHT);
  });

  it('responds 304 to a request with its ETag', async () => {
    const { headers } = await fetch(`${url}/method`);
    const again = await fetch(`${url}/method`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);
  });

  describe.each([360, 1280])('at %i px', (width) => {
    it.each(['light', 'dark'] as const)(
      'has no accessibility violation in the %s theme',
      async (colorScheme) => {
        const page = await openMethod({ colorScheme, viewport: { width, height: 900 } });
        expect((await findingsOf(page)).violations).toEqual([]);
      },
    );
  });

  it.each([320, 390, 768, 1920])('shows all content at %i px', async (width) => {
    const page = await openMethod({ viewport: { width, height: 900 } });
    expect(await faultsOf(page)).toEqual([]);
  });

  it('prints all sections', async () => {
    const page = await openMethod({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('section').count()).toBe(5);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
  });
});
