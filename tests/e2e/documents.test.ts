import { describe, expect, inject, it } from 'vitest';
import { isoWeekOf } from '#domain/calendar/iso-week.ts';
import { lastSessions } from '#domain/calendar/sessions.ts';
import { findingsOf } from '../support/accessibility.ts';
import { allowComplaints } from '../support/complaints.ts';
import { faultsOf } from '../support/layout.ts';
import { pagesForTests } from '../support/pages.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

const url = inject('demoUrl');
const fresh = pagesForTests();
const FLIGHT = 14_600;

const sessions = lastSessions(new Date().toISOString().slice(0, 10), 61);
const [earlier = '', later = ''] = [sessions[0], sessions[41]];

/* `every-state.proof.test.ts` opens these pages in both themes and at every width. */
describe.each([
  '/record',
  `/record/${isoWeekOf(earlier)}`,
  '/record/2026-W54',
  `/on/${later}`,
  `/on/${later}?with=${earlier}`,
  '/on/2026-02-30',
  '/quality',
  '/method',
  '/risk',
])('%s', (path) => {
  it('has a script for the theme, only the record one for its chart, and fits into the first ten packets', async () => {
    const isRecord = path === '/record';
    const response = await fetch(url + path, { headers: { 'Accept-Encoding': 'br' } });
    expect(response.headers.get('content-security-policy')).toMatch(
      isRecord
        ? /^default-src 'none';.*;script-src 'sha256-[^ ;]+ 'self';/
        : /^default-src 'none';.*;script-src 'sha256-[^ ;]+;/,
    );
    expect((await response.text()).match(/<script[^>]*>/gi)).toHaveLength(isRecord ? 2 : 1);
    const request = rawRequest('GET', path, [['Accept-Encoding', 'br']]);
    const [answer] = (await exchange(url, request, { answers: 1 })).answers;
    expect((answer?.head.length ?? Number.NaN) + (answer?.body.length ?? 0)).toBeLessThan(FLIGHT);
  });

  it('is accessible, shows all content on a phone and prints dark text on white paper', async () => {
    const page = await fresh({ viewport: { width: 360, height: 900 } });
    allowComplaints(page, /status of 404/);
    await page.goto(url + path);
    expect((await findingsOf(page)).violations).toEqual([]);
    expect(await faultsOf(page)).toEqual([]);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const colours = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return { backgroundColor, color };
    });
    expect(colours).toEqual({ backgroundColor: 'rgb(255, 255, 255)', color: 'rgb(26, 33, 48)' });
  });
});
