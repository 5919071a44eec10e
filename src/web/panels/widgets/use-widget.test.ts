import { expect, test } from 'vitest';
import { BEGINNING, reduceWidget, type WidgetEvent } from './use-widget.ts';

const after = (...events: WidgetEvent[]) => events.reduce(reduceWidget, BEGINNING);

test('a loaded widget stays loaded after any event', () => {
  for (const event of ['reached', 'refused', 'timed out', 'offline'] as const) {
    expect(after('answered', event)).toEqual({ phase: 'answered', attempt: 0, standIn: false });
  }
});

test('a load message counts at any time', () => {
  for (const event of ['reached', 'refused', 'timed out', 'offline'] as const) {
    expect(after(event, 'answered')).toEqual({ phase: 'answered', attempt: 0, standIn: false });
  }
});

test('a frame with a response is never blocked or offline', () => {
  expect(after('reached', 'refused').phase).toBe('open');
  expect(after('reached', 'offline').phase).toBe('open');
  expect(after('reached', 'timed out').phase).toBe('silent');
  expect(after('reached', 'timed out', 'offline').phase).toBe('silent');
});

test('keeps the fallback of a blocked frame until a new attempt has a result', () => {
  expect(after('refused')).toMatchObject({ phase: 'blocked', standIn: true });
  expect(after('refused', 'again')).toEqual({ phase: 'waiting', attempt: 1, standIn: true });
  expect(after('refused', 'again', 'reached')).toMatchObject({ phase: 'open', standIn: false });
  expect(after('offline', 'again', 'refused')).toMatchObject({ phase: 'blocked', standIn: true });
});

test('keeps a silent frame unless the network test fails', () => {
  expect(after('timed out')).toMatchObject({ phase: 'silent', standIn: false });
  expect(after('timed out', 'reached').phase).toBe('silent');
  expect(after('timed out', 'refused').phase).toBe('blocked');
  expect(after('timed out', 'again')).toEqual({ phase: 'waiting', attempt: 1, standIn: false });
});

test('starts a new attempt for every missing widget when the network returns', () => {
  for (const event of ['refused', 'offline', 'timed out'] as const) {
    expect(after(event, 'online')).toMatchObject({ phase: 'waiting', attempt: 1 });
  }
  expect(after('reached', 'online')).toMatchObject({ phase: 'open', attempt: 0 });
  expect(after('answered', 'online')).toMatchObject({ phase: 'answered', attempt: 0 });
});
