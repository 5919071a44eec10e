import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SubscribeForm } from './subscribe-form.tsx';
import { Subscribed } from './subscribed.tsx';

const never = () => Promise.reject(new Error('Nothing was submitted.'));

test('the form asks for one address and takes none before it has the pattern', () => {
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

test('success is said in the specified words', () => {
  const text = renderToString(<Subscribed />).replaceAll('&#x27;', "'");
  expect(text).toContain("You're subscribed!");
  expect(text).toContain("You'll receive the market signal in your inbox every week.");
});
