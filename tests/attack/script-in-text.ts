import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_TABLE_NAMES } from '#schema/tables.ts';
import { pagesForTests } from '#tests/support/pages.ts';
import { EMBED_ORIGIN } from '#web/panels/widgets/embed.ts';
import { complaintsOf } from '../support/complaints.ts';
import { UNCHECKED_TABLES } from '../support/lax-tables.ts';
import { openAwake } from '../support/opening.ts';
import { ALL_AT_ONCE, HOSTILE } from './hostile-text.ts';
import { ask, type Target } from './target.ts';

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * SQL that writes hostile words to every text column of the newest rows of every table. `choose` is SQL that selects
 * one of `words`.
 */
function planted(words: readonly string[], choose: string, spared: readonly string[]): string {
  return `do $planted$
    declare it record;
    declare words text[] := array[${words.map(literal).join(', ')}];
    begin
      for it in
        select table_name, column_name from information_schema.columns
        where table_schema = 'public' and table_name in (${PUBLISHED_TABLE_NAMES.map(literal).join(', ')})
          and data_type in ('text', 'character varying', 'character')
          and column_name <> all (array[${spared.map(literal).join(', ')}]::text[])
      loop
        execute format('update public.%1$I set %2$I = $1[1 + (${choose}) %% cardinality($1)]
          where created_at = (select max(created_at) from public.%1$I)', it.table_name, it.column_name) using words;
      end loop;
    end $planted$`;
}

/** Removes the checks of the columns, because another backend may lack them. */
const UNCHECKED = `${UNCHECKED_TABLES};
  alter table public.input_origins alter column input type text, alter column provider type text`;

/**
 * Columns whose values decide in which section a row appears. The first attack leaves them unchanged, so that all
 * sections appear.
 */
const DECIDING = ['timeframe', 'index_label', 'signal', 'source'];

/** Contents of the tables during all attacks. */
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
  await page.getByRole('region', { name: 'S&P 500 Heatmap' }).scrollIntoViewIfNeeded();
  await page.waitForLoadState('networkidle');
}

/** Effects that a script, an element or an address from the tables would have. */
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
    const fresh = pagesForTests();

    async function expectUnharmed(): Promise<string> {
      const page = await fresh();
      // The page always embeds the charts of the provider.
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
      expect((await page.title()).replace(target().productName, '')).toMatch(
        /^ Dashboard( – Demo data: invented numbers)?$/,
      );
      expect(elsewhere).toEqual([]);
      // A blocked request or script would write a message to the console of the page.
      expect(complaintsOf(page)).toEqual([]);
      return page.locator('#root').textContent().then(String);
    }

    it('a text that ends every context appears as text in every column', async () => {
      expect(await expectUnharmed()).toContain('</script><!--"');
    });

    it('a different text in each row and column appears as text', async () => {
      await change(ALL_OF_THEM);
      await expectUnharmed();
    });

    it('the HTML contains none of the texts as markup', async () => {
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
