import { describe, expect, it } from 'vitest';
import { Refusal } from './refusal.ts';
import { parseAccept, parsePrefer } from './request-headers.ts';

const OBJECT = 'application/vnd.pgrst.object+json';

it.each([
  [undefined, 'list'],
  ['*/*', 'list'],
  ['application/json; charset=utf-8', 'list'],
  ['application/vnd.pgrst.array+json', 'list'],
  [OBJECT, 'single'],
  [`application/json, ${OBJECT}`, 'list'],
  [`${OBJECT}, application/json`, 'single'],
  ['text/csv;q=0.1, */*', 'list'],
  ['text/html, application/json;q=0.9', 'list'],
  [`application/json;q=0, ${OBJECT}`, 'single'],
])('Accept: %s requests a %s', (header, shape) => {
  expect(parseAccept(header)).toBe(shape);
});

it.each([
  ...['text/html', '', 'text/csv', 'application/json;nulls=stripped', `${OBJECT};nulls=stripped`],
  ...['application/json;q=0', 'application/json;q=0.0'],
])('Accept: %s is refused', (header) => {
  expect(() => parseAccept(header)).toThrow(expect.objectContaining({ status: 415, code: 'PGRST107' }));
});

describe('Prefer', () => {
  const prefer = (header: string | undefined) => parsePrefer(header, ['return=minimal', 'count=exact']);

  it('confirms the preferences that apply', () => {
    expect(prefer('count=exact,return=minimal')).toEqual({
      isCounted: true,
      isBeyondInsert: false,
      headers: { 'Preference-Applied': 'return=minimal, count=exact' },
    });
    for (const header of [undefined, '', 'foo=bar', 'handling=lenient']) {
      expect(prefer(header)).toEqual({ isCounted: false, isBeyondInsert: false, headers: {} });
    }
  });

  it.each(['return=representation', 'return=headers-only', 'resolution=merge-duplicates'])(
    '%s requests more than a plain insert',
    (header) => {
      expect(prefer(header).isBeyondInsert).toBe(true);
    },
  );

  it.each([
    'count=planned',
    'count=exact, timezone=UTC',
    'missing=default',
    'handling=strict',
    'max-affected=1',
  ])('%s is refused, since it would change the response', (header) => {
    expect(() => prefer(header)).toThrow(Refusal);
    expect(() => prefer(header)).toThrow(expect.objectContaining({ status: 400, code: 'PGRST122' }));
  });
});
