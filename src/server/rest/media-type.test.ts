import { expect, it } from 'vitest';
import { readAccept } from './media-type.ts';
import { Refusal } from './refusal.ts';

const OBJECT = 'application/vnd.pgrst.object+json';

it.each([
  [undefined, 'list'],
  ['*/*', 'list'],
  ['application/json; charset=utf-8', 'list'],
  [`*/*, ${OBJECT}`, 'single'],
  [`application/json, ${OBJECT}`, 'list'],
  [`application/json;q=0.2, ${OBJECT};q=0.7`, 'single'],
  ['application/json;q=0', 'list'],
  ['text/csv;q=0.1, */*', 'list'],
  ['text/html, application/json;q=0.9', 'list'],
])('Accept: %s asks for a %s', (header, shape) => {
  expect(readAccept(header)).toBe(shape);
});

it.each(['text/html', '', 'text/csv, application/json', '*/*, text/csv', 'application/json;nulls=stripped'])(
  'Accept: %s is refused: JSON would not be what is asked for first',
  (header) => {
    expect(() => readAccept(header)).toThrow(Refusal);
  },
);
