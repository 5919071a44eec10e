import { expect, it } from 'vitest';
import { createCapacity } from './send-due.ts';

const away = {
  result: 'away',
  reply: '421',
  reason: 'The mail server closes its connections for now (421).',
} as const;
const lost = { result: 'later', reply: null } as const;
const deferred = { result: 'later', reply: '450' } as const;
const sent = { result: 'sent' } as const;

it('falls by one for each rejected connection', () => {
  const capacity = createCapacity(3);
  expect(capacity.away()).toBeNull();
  for (const left of [2, 1, 0, 0]) {
    capacity.adjust(away);
    expect(capacity.count()).toBe(left);
  }
  expect(capacity.away()).toBe(away.reason);
});

it('is zero after five consecutive mails without a reply', () => {
  const capacity = createCapacity(5);
  for (const outcome of [lost, lost, lost, lost]) capacity.adjust(outcome);
  expect(capacity.count()).toBe(5);
  capacity.adjust(lost);
  expect(capacity.count()).toBe(0);
  expect(capacity.away()).toMatch(/^The mail server times out/);
});

it.each([sent, deferred])('counts lost mails from zero again after a reply: %j', (reply) => {
  const capacity = createCapacity(5);
  for (let round = 0; round < 10; round += 1) {
    for (const outcome of [lost, lost, lost, lost, reply]) capacity.adjust(outcome);
  }
  expect(capacity.count()).toBe(5);
  expect(capacity.away()).toBeNull();
});
