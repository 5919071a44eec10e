import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Subscribed } from './subscribe-dialog.tsx';
import { failureText, SubscribeForm } from './subscribe-form.tsx';

const never = () => Promise.reject(new Error('Nothing was submitted.'));
const formOf = (draft = '') =>
  renderToString(
    <SubscribeForm subscribe={never} draft={{ current: draft }} onSubscribed={() => undefined} />,
  );

test('requires an address, and disables the button without one [S2.37] [S2.39] [S5.2]', () => {
  const html = formOf();
  expect(html).toContain('Email Address');
  const input = /<input[^>]*>/.exec(html)?.[0] ?? '';
  for (const attribute of ['type="email"', 'required=""', 'placeholder="you@example.com"']) {
    expect(input).toContain(attribute);
  }
  expect(html).toMatch(/<button type="submit"[^>]* disabled="">Subscribe<\/button>/);
  expect(html).toContain(
    'We respect your privacy. Unsubscribe at any time. No spam, just weekly market insights.',
  );
});

test.each([
  ['visitor@example', ' disabled=""'],
  ['v@e.o', ''],
])('with the address %s the button is%s [S5.1]', (address, disabled) => {
  expect(formOf(address)).toContain(`${disabled}>Subscribe</button>`);
});

test('offers mails about changes of the verdict, off by default', () => {
  const html = formOf();
  expect(html).toMatch(
    /<label[^>]*><input type="checkbox" name="alerts"\/>Also tell me when the verdict changes<\/label>/,
  );
});

test('has a honeypot that is invisible, not focusable and not filled in automatically', () => {
  const html = formOf();
  const [trap = ''] = /<div class="visually-hidden" aria-hidden="true">.*?<\/div>/.exec(html) ?? [];
  for (const attribute of ['name="website"', 'tabindex="-1"', 'autocomplete="off"', 'data-1p-ignore']) {
    expect(trap.toLowerCase()).toContain(attribute);
  }
});

const said = (doubleOptIn: boolean) =>
  renderToString(<Subscribed doubleOptIn={doubleOptIn} />).replaceAll('&#x27;', "'");

test('confirms success in the specified words [S2.40]', () => {
  expect(said(false)).toContain("You're subscribed!");
  expect(said(false)).toContain("You'll receive the market signal in your inbox every week.");
});

test('does not claim a subscription that needs confirmation', () => {
  expect(said(true)).not.toContain('subscribed!');
  expect(said(true)).toContain('We are sending you an email with a button. Press it');
});

test('keeps the address that was typed before the dialog was closed', () => {
  expect(formOf('ada@example.org')).toContain('value="ada@example.org"');
});

test('shows the message of a failure, or a general message without one [S5.5] [S8.6]', () => {
  expect(failureText(new Error('This email is already subscribed'))).toBe('This email is already subscribed');
  expect(failureText(new Error(''))).toBe('Failed to subscribe. Please try again.');
  expect(failureText('odd')).toBe('Something went wrong');
});
