import { expect, it } from 'vitest';
import { createCapacity } from './send-due.ts';

const lost = { result: 'later', reply: null } as const;
const deferred = { result: 'later', reply: '450' } as const;
const sent = { result: 'sent' } as const;

it.each([sent, deferred])('counts lost mails from zero again after a reply: %j', (reply) => {
  const capacity = createCapacity(5);
  for (let round = 0; round < 10; round += 1) {
    for (const outcome of [lost, lost, lost, lost, reply]) capacity.adjust(outcome);
  }
  expect(capacity.count()).toBe(5);
  expect(capacity.unavailable()).toBeNull();
});
