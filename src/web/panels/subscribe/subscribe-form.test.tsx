import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SubscribeForm } from './subscribe-form.tsx';
import { Subscribed } from './subscribed.tsx';

const never = () => Promise.reject(new Error('Nothing was submitted.'));

test('asks for one address and disables the button until it matches the pattern', () => {
  const html = renderToString(<SubscribeForm subscribe={never} onSubscribed={() => undefined} />);
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

test('has a honeypot that is invisible, not focusable and not filled in automatically', () => {
  const html = renderToString(<SubscribeForm subscribe={never} onSubscribed={() => undefined} />);
  const [trap = ''] = /<div class="visually-hidden" aria-hidden="true">.*?<\/div>/.exec(html) ?? [];
  for (const attribute of ['name="website"', 'tabindex="-1"', 'autocomplete="off"', 'data-1p-ignore']) {
    expect(trap.toLowerCase()).toContain(attribute);
  }
});

const said = (asksToConfirm: boolean) =>
  renderToString(<Subscribed asksToConfirm={asksToConfirm} />).replaceAll('&#x27;', "'");

test('confirms success in the specified words [S2.40]', () => {
  expect(said(false)).toContain("You're subscribed!");
  expect(said(false)).toContain("You'll receive the market signal in your inbox every week.");
});

test('does not claim a subscription that needs confirmation', () => {
  expect(said(true)).not.toContain('subscribed!');
  expect(said(true)).toContain('We are sending you an email with a button. Press it');
});
