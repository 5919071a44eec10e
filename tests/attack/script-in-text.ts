import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXPOSED_TABLES } from '#server/rest/tables.ts';
import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';
import { complaintsOf } from '../support/complaints.ts';
import { freshPages } from '../support/fresh-pages.ts';
import { UNCHECKED_TABLES } from '../support/lax-tables.ts';
import { openAwake } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { ALL_AT_ONCE, HOSTILE } from './hostile-text.ts';
import { ask, type Target } from './target.ts';

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * SQL that puts hostile words into every text column of every table, in the newest rows, which a page shows. `choose`
 * is SQL for one of `words`.
 */
function planted(words: readonly string[], choose: string, spared: readonly string[]): string {
  return `do $planted$
    declare it record;
    declare words text[] := array[${words.map(literal).join(', ')}];
    begin
      for it in
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and table_name in (${EXPOSED_TABLES.map(literal).join(', ')})
          and table_name <> 'email_subscribers' and data_type in ('text', 'character varying', 'character')
          and column_name <> all (array[${spared.map(literal).join(', ')}]::text[])
      loop
        execute format('update public.%1$I set %2$I = $1[1 + (${choose}) %% cardinality($1)]
          where created_at = (select max(created_at) from public.%1$I)', it.table_name, it.column_name) using words;
      end loop;
    end $planted$`;
}

/** Without the checks, as another backend may be. `input_origins` has different ones. */
const UNCHECKED = `${UNCHECKED_TABLES};
  alter table public.input_origins alter column input type text, alter column provider type text`;

/** Columns that decide the section of a row: spared at first, so that all sections are there. */
const DECIDING = ['timeframe', 'index_label', 'signal', 'source'];

/** Contents of the tables before anything is served, so that all attacks meet it. */
export const ALL_THE_SAME = `${UNCHECKED}; ${planted([ALL_AT_ONCE], '0', DECIDING)}`;
const ALL_OF_THEM = `${planted(HOSTILE, 'id::int * 7 + length(%2$L)', ['timeframe'])};
  update public.market_sentiment set timeframe = ${literal(ALL_AT_ONCE)}
  where id % 3 = 0 and created_at = (select max(created_at) from public.market_sentiment)`;

async function openAll(page: Page): Promise<void> {
  const sections = page.getByRole('button', { name: 'Advanced Market Indicators, Sectors & Breadth' });
  if ((await sections.count()) > 0) await sections.click();
  const timeline = page.getByRole('tab', { name: 'Timeline' });
  if ((await timeline.count()) > 0) await timeline.click();
  const origins = page.getByText('Where these numbers come from', { exact: true });
  if ((await origins.count()) > 0) await origins.click();
  await page.waitForLoadState('networkidle');
}

/** Traces that a script, an element or an address from the tables would leave. */
const plantedOn = (page: Page) =>
  page.evaluate(() => ({
    ran: 'planted' in window,
    elements: document.querySelectorAll(
      'img, base, iframe:not([title]), form[action], meta[http-equiv], [onerror], [onload], [onfocus], [onmouseover], #root script, #root style, #root link, [href^="javascript:" i], [href^="data:text" i], [href*="evil.example"], [src*="evil.example"]',
    ).length,
    sideways: document.documentElement.scrollWidth > window.innerWidth,
  }));

/**
 * Checks that text of tables stays text, over tables that hold `ALL_THE_SAME`. `change` runs the SQL that changes them
 * permanently.
 */
export function scriptInText(target: () => Target, change: (sql: string) => Promise<unknown>): void {
  describe('script in every text column of every table', () => {
    let close = async () => {};
    let fresh: ReturnType<typeof freshPages>;

    beforeAll(async () => {
      const browser = await openBrowser();
      fresh = freshPages(browser);
      close = () => browser.close();
    });
    afterAll(() => close());

    async function expectUnharmed(): Promise<string> {
      const page = await fresh();
      // The charts of the provider are what the page shows of somebody else's, whatever the tables hold.
      const own = [...[target().pageUrl, target().restUrl].map((url) => new URL(url).origin), EMBED_ORIGIN];
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith('data:') && !own.some((origin) => url.startsWith(`${origin}/`)))
          elsewhere.push(url);
      });
      await openAwake(page, target().pageUrl);
      await openAll(page);
      expect(await plantedOn(page)).toEqual({ ran: false, elements: 0, sideways: false });
      expect(await page.title()).toBe(`${target().productName} Dashboard`);
      expect(elsewhere).toEqual([]);
      // A blocked load or script would be among the page's complaints.
      expect(complaintsOf(page)).toEqual([]);
      return page.locator('#root').textContent().then(String);
    }

    it('words out of every context at once, in every column but those that choose the section, stand as text', async () => {
      expect(await expectUnharmed()).toContain('</script><!--"');
    });

    it('another of the words in each row and column, and those that choose the section, harm nothing', async () => {
      await change(ALL_OF_THEM);
      await expectUnharmed();
    });

    it('the page’s own bytes have none of it as markup, and its picture is drawn', async () => {
      if (!target().isOurs) return;
      const html = (await ask(target(), target().pageUrl, '/')).body.toString();
      const written = html.match(
        /<(?:img|base|iframe|form action|meta http-equiv="?refresh|script>planted|svg\/)/gi,
      );
      expect(written).toBeNull();
      expect(html).not.toMatch(/[\u2028\u2029]/);
      const data = /id="barometer-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
      expect(data).not.toContain('<');
      expect(() => JSON.parse(data)).not.toThrow();
      expect((await ask(target(), target().pageUrl, '/og.png')).status).toBe(200);
    });
  });
}
