import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { queryOnce } from '#database/port.ts';
import { allowComplaints, FAILED_REQUEST } from '../support/complaints.ts';
import { heldRequests } from '../support/held-requests.ts';
import { MIDDLING } from '../support/market-tables.ts';
import { pageOverRows } from '../support/page-over-rows.ts';
import { shared } from '../support/shared.ts';
import { asOwnerOf } from '../support/subscribing.ts';

const host = shared(pageOverRows);

beforeAll(async () => {
  await host.put(MIDDLING);
});

beforeEach(() => asOwnerOf(host.database).forgetAll());

const subscribers = () =>
  queryOnce(host.database, 'select email, is_active from public.email_subscribers order by id');

interface OpenDialog {
  page: Page;
  dialog: Locator;
  field: Locator;
  button: Locator;
}

/** Waits until the dialog shows exactly this error. */
const told = (dialog: Locator, text: string) =>
  dialog
    .getByRole('alert')
    .and(dialog.getByText(text, { exact: true }))
    .waitFor();

async function openDialogOn(page: Page): Promise<OpenDialog> {
  await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('textbox', { name: 'Email Address' });
  await field.waitFor();
  return { page, dialog, field, button: dialog.getByRole('button', { name: /^Subscrib/ }) };
}

/** One page for all tests of this group. Each test reopens the dialog and sets its own response to the insert. */
function sharedPage(
  ...provoked: readonly RegExp[]
): (answer?: (route: Route) => Promise<void>) => Promise<OpenDialog> {
  let page: Page;
  beforeAll(async () => {
    page = await host.open();
    allowComplaints(page, ...provoked);
  });
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
  return async (answer) => {
    if (answer !== undefined) await page.route('**/rest/v1/email_subscribers*', answer);
    return openDialogOn(page);
  };
}

describe('the subscribe dialog', () => {
  const openDialog = sharedPage();

  it('subscribes to changes of the verdict if the box is ticked', async () => {
    const { dialog, field, button } = await openDialog();
    await field.fill('alerts@example.org');
    await dialog.getByRole('checkbox', { name: 'Also tell me when the verdict changes' }).check();
    await button.click();
    await dialog.getByText("You're subscribed!").waitFor();
    const stored = await queryOnce(host.database, 'select email, alerts from public.email_subscribers');
    expect(stored).toEqual([{ email: 'alerts@example.org', alerts: true }]);
  });

  it('is disabled with a spinner while it submits [S2.38] [S5.3]', async () => {
    const { hold, release } = heldRequests();
    const { dialog, field, button } = await openDialog(hold);
    await field.fill('busy@example.org');
    await button.click();
    await dialog.getByText('Subscribing...', { exact: true }).waitFor();
    expect(await button.isDisabled()).toBe(true);
    expect(await button.locator('svg').count()).toBe(1);
    const words = ["You're subscribed!", "You'll receive the market signal in your inbox every week."];
    const said = Promise.all(words.map((text) => dialog.getByText(text, { exact: true }).waitFor()));
    release('answer');
    await said;
    expect(await subscribers()).toEqual([{ email: 'busy@example.org', is_active: true }]);
  });

  // `src/queries/subscribe.test.ts` has the other characters.
  it('takes no text with an invisible character, and says so [S5.1] [S5.3]', async () => {
    const { page, dialog, field, button } = await openDialog();
    await field.fill('visitor@');
    await page.keyboard.press('End');
    await page.keyboard.insertText('a@b.c\u200b');
    await told(dialog, 'This address contains an invisible character. Please type it by hand.');
    expect(await field.inputValue()).toBe('visitor@');
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.insertText('example.org');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect(await field.inputValue()).toBe('visitor@example.org');
    expect(await button.isEnabled()).toBe(true);
  });

  it('rejects a submission with every field filled in [S8.6]', async () => {
    const { page, dialog, field, button } = await openDialog();
    const trap = dialog.locator('input[name="website"]');
    expect(await dialog.getByRole('textbox').count()).toBe(1);
    // The field is invisible: at its position the browser finds another element.
    const box = await trap.locator('xpath=ancestor::div[@aria-hidden]').boundingBox();
    expect([box?.width, box?.height]).toEqual([1, 1]);
    for (const input of await page.locator('dialog input:not([type=checkbox])').all())
      await input.fill('all@example.org');
    await button.click();
    await told(dialog, 'Failed to subscribe. Please try again.');
    expect(await subscribers()).toEqual([]);
    expect(await field.inputValue()).toBe('all@example.org');
    expect(await trap.inputValue()).toBe('');
    await Promise.all([dialog.getByText("You're subscribed!").waitFor(), button.click()]);
    expect(await subscribers()).toEqual([{ email: 'all@example.org', is_active: true }]);
  });

  it('closes by its close button and by a click on the overlay. It keeps the typed text [S2.36]', async () => {
    const { page, dialog, field } = await openDialog();
    await field.fill('half-typed');
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    await field.waitFor();
    expect(await field.inputValue()).toBe('half-typed');
    await dialog.getByRole('heading').click();
    expect(await dialog.count()).toBe(1);
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    expect(await subscribers()).toEqual([]);
  });

  it('stays open when a selection is dragged from the field onto the overlay', async () => {
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

describe('the subscribe dialog if subscribing fails', () => {
  const openDialog = sharedPage(FAILED_REQUEST);

  it('says that an address cannot receive mail, and keeps it [S5.5]', async () => {
    const { dialog, field, button } = await openDialog();
    await field.fill('x@e..org');
    await button.click();
    await told(dialog, 'This address cannot receive mail.');
    expect(await field.inputValue()).toBe('x@e..org');
    expect(await subscribers()).toEqual([]);
  });

  it('shows the message of another failure and allows a retry [S4.3] [S5.5]', async () => {
    const message = 'Too many visitors at once.';
    const { page, dialog, field, button } = await openDialog((route) =>
      route.fulfill({ status: 503, json: { code: '53300', message, details: null, hint: null } }),
    );
    await field.fill('again@example.org');
    await button.click();
    await told(dialog, message);
    await page.unrouteAll({ behavior: 'wait' });
    await Promise.all([dialog.getByText("You're subscribed!").waitFor(), button.click()]);
  });
});

describe('the subscribe dialog on a page of its own', () => {
  it('closes exactly two seconds after it has subscribed [S2.40] [S4.3] [S9.4]', async () => {
    const { page, dialog, field, button } = await openDialogOn(await host.open({ clock: 'movable' }));
    await page.clock.pauseAt('2026-11-13T22:00:00Z');
    await field.fill('two-seconds@example.org');
    await button.click();
    await dialog.getByText("You're subscribed!").waitFor();
    // The dialog moves the focus to its button when the two seconds until it closes begin.
    await dialog.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor();
    await page.clock.runFor(1900);
    expect(await dialog.count()).toBe(1);
    await page.clock.runFor(100);
    await dialog.waitFor({ state: 'detached' });
  });

  it('asks for confirmation by mail and stays open until dismissed [S2.40]', async () => {
    const opened = await host.open({
      clock: 'movable',
      before: (opening) =>
        opening.route(host.url, async (route) => {
          const response = await route.fetch();
          const html = (await response.text()).replace('"anonKey"', '"doubleOptIn":true,"anonKey"');
          await route.fulfill({ response, body: html });
        }),
    });
    const { page, dialog, field, button } = await openDialogOn(opened);
    await page.clock.pauseAt('2026-11-13T22:00:00Z');
    await field.fill('asked@example.org');
    await button.click();
    await dialog
      .getByRole('status')
      .filter({ hasText: 'We are sending you an email with a button.' })
      .waitFor();
    expect(await dialog.innerText()).not.toContain("You're subscribed!");
    await page.clock.runFor(60_000);
    await page.keyboard.press('Enter');
    await page.clock.runFor(100);
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows an error until dismissed if its code cannot be loaded', async () => {
    const page = await host.open({
      before: async (opening) => {
        allowComplaints(
          opening,
          /Failed to (load resource|fetch dynamically imported module): .*\/subscribe-dialog-/,
        );
        await opening.route('**/assets/subscribe-dialog-*.js', (route) => route.abort());
      },
    });
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    const notice = page
      .getByRole('alert')
      .filter({ hasText: 'could not be loaded. Please reload the page.' });
    await notice.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('main');
  });
});
