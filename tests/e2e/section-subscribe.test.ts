import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { heldRequests } from '../support/held-requests.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { type PageOverRows, pageOverRows } from '../support/page-over-rows.ts';

let host: PageOverRows;

beforeAll(async () => {
  host = await pageOverRows();
  await host.put(MIDDLING);
});

beforeEach(() =>
  host.database.transaction((transaction) => transaction.script('truncate public.email_subscribers')),
);

afterAll(() => host?.close());

const subscribers = () =>
  host.database.transaction((transaction) =>
    transaction.query('select email, is_active from public.email_subscribers order by id'),
  );

async function openDialog(
  answer?: (route: Route) => Promise<void>,
  clock: 'fixed' | 'movable' = 'fixed',
): Promise<{
  page: Page;
  dialog: Locator;
  field: Locator;
  button: Locator;
}> {
  const page = await host.open({
    clock,
    before: async (opening) => {
      if (answer !== undefined) await opening.route('**/rest/v1/email_subscribers*', answer);
    },
  });
  await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('textbox', { name: 'Email Address' });
  await field.waitFor();
  return { page, dialog, field, button: dialog.getByRole('button', { name: /^Subscrib/ }) };
}

describe('the subscribe dialog', () => {
  it('asks for an Email Address, required and of its type, and gives the privacy note', async () => {
    const { dialog, field, button } = await openDialog();
    expect(await field.getAttribute('type')).toBe('email');
    expect(await field.getAttribute('required')).not.toBeNull();
    expect(await field.getAttribute('placeholder')).toMatch(/^[^\s@]+@[^\s@]+\.[^\s@]+$/);
    expect(await button.innerText()).toBe('Subscribe');
    await dialog
      .getByText('We respect your privacy. Unsubscribe at any time. No spam, just weekly market insights.', {
        exact: true,
      })
      .waitFor();
  });

  it('lets nobody subscribe until the address has the pattern', async () => {
    const { field, button } = await openDialog();
    for (const [address, isEnabled] of [
      ['', false],
      ['visitor', false],
      ['visitor@', false],
      ['visitor@example', false],
      ['@example.org', false],
      ['visitor@.', false],
      ['visi tor@example.org', false],
      ['visitor@exam ple.org', false],
      ['visitor@@example.org', false],
      ['v@e.o', true],
      ['visitor+weekly@mail.example.org', true],
      ['besucher@bücher.example', true],
    ] as const) {
      await field.fill(address);
      expect(await button.isEnabled(), address).toBe(isEnabled);
    }
  });

  it('is busy while it submits: Subscribing... with a spinner, and disabled', async () => {
    const { hold, release } = heldRequests();
    const { dialog, field, button } = await openDialog(hold);
    await field.fill('busy@example.org');
    await button.click();
    await dialog.getByText('Subscribing...', { exact: true }).waitFor();
    expect(await button.isDisabled()).toBe(true);
    expect(await button.locator('svg').count()).toBe(1);
    release('answer');
    await dialog.getByText("You're subscribed!", { exact: true }).waitFor();
    await dialog
      .getByText("You'll receive the market signal in your inbox every week.", { exact: true })
      .waitFor();
    expect(await subscribers()).toEqual([{ email: 'busy@example.org', is_active: true }]);
  });

  it('closes two seconds after it has subscribed, and no sooner', async () => {
    const { page, dialog, field, button } = await openDialog(undefined, 'movable');
    await page.clock.pauseAt('2026-11-13T22:00:00Z');
    await field.fill('two-seconds@example.org');
    await button.click();
    await dialog.getByText("You're subscribed!").waitFor();
    await page.clock.runFor(1900);
    expect(await dialog.count()).toBe(1);
    await page.clock.runFor(100);
    await dialog.waitFor({ state: 'detached' });
  });

  it('tells an active address, whatever its case and the space around it, and keeps what was typed', async () => {
    await host.database.transaction((transaction) =>
      transaction.script("insert into public.email_subscribers (email) values ('Visitor@Example.org')"),
    );
    const { dialog, field, button } = await openDialog();
    await field.fill('  visitor@EXAMPLE.org ');
    await button.click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^This email is already subscribed$/ })
      .waitFor();
    expect(await field.inputValue()).toContain('visitor@EXAMPLE.org');
    expect(await button.isEnabled()).toBe(true);
    await field.fill('another@example.org');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await subscribers()).toHaveLength(1);
  });

  it('takes an address back that has unsubscribed', async () => {
    await host.database.transaction((transaction) =>
      transaction.script(
        "insert into public.email_subscribers (email, is_active) values ('back@example.org', false)",
      ),
    );
    const { dialog, field, button } = await openDialog();
    await field.fill('back@example.org');
    await button.click();
    await dialog.getByText("You're subscribed!").waitFor();
    expect(await subscribers()).toEqual([
      { email: 'back@example.org', is_active: false },
      { email: 'back@example.org', is_active: true },
    ]);
  });

  it('shows the sentence of another failure, and can be tried again', async () => {
    const { page, dialog, field, button } = await openDialog((route) =>
      route.fulfill({ status: 503, json: { code: '53300', message: 'Too many visitors at once.' } }),
    );
    await field.fill('again@example.org');
    await button.click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Too many visitors at once\.$/ })
      .waitFor();
    await page.unrouteAll();
    await button.click();
    await dialog.getByText("You're subscribed!").waitFor();
  });

  it('says "Failed to subscribe" of a failure without a sentence', async () => {
    const { dialog, field, button } = await openDialog((route) => route.abort());
    await field.fill('nobody@example.org');
    await button.click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Failed to subscribe$/ })
      .waitFor();
  });

  it('never shows markup, a stack or a constraint of the database', async () => {
    const { page, dialog, field, button } = await openDialog((route) =>
      route.fulfill({
        status: 500,
        json: {
          code: 'XX000',
          message: '<img src=x onerror=planted=1>',
          details: 'Failing row contains (nobody@…).',
        },
      }),
    );
    await field.fill('nobody@example.org');
    await button.click();
    await dialog
      .getByRole('alert')
      .filter({ hasText: /^Failed to subscribe$/ })
      .waitFor();
    expect(await dialog.innerText()).not.toContain('Failing row');
    expect(
      await page.evaluate(() => document.querySelectorAll('img').length + Number('planted' in window)),
    ).toBe(0);
  });

  it('closes by its close button and by a click on the overlay, and forgets what was typed', async () => {
    const { page, dialog, field } = await openDialog();
    await field.fill('half-typed');
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
    await dialog.getByRole('heading').click();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    expect(await subscribers()).toEqual([]);
  });

  it('does not close when a selection is dragged from the field onto the overlay', async () => {
    const { page, dialog, field } = await openDialog();
    await field.fill('visitor@example.org');
    const box = await field.boundingBox();
    if (box === null) throw new Error('There is no field.');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    expect(await field.inputValue()).toBe('visitor@example.org');
  });
});
