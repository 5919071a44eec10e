import { expect, it } from 'vitest';
import { createCapacity } from './send-capacity.ts';

const away = {
  result: 'away',
  smtpStatus: '421',
  reason: 'The mail server closes its connections for now (421).',
} as const;
const lost = { result: 'later', smtpStatus: null } as const;
const putOff = { result: 'later', smtpStatus: '450' } as const;
const sent = { result: 'sent' } as const;

it('the capacity falls by one with each connection that is turned away, to zero', () => {
  const capacity = createCapacity(3);
  expect(capacity.away()).toBeNull();
  for (const left of [2, 1, 0, 0]) {
    capacity.learn(away);
    expect(capacity.count()).toBe(left);
  }
  expect(capacity.away()).toBe(away.reason);
});

it('the capacity is zero once five mails in a row are lost without a reply', () => {
  const capacity = createCapacity(5);
  for (const outcome of [lost, lost, lost, lost]) capacity.learn(outcome);
  expect(capacity.count()).toBe(5);
  capacity.learn(lost);
  expect(capacity.count()).toBe(0);
  expect(capacity.away()).toMatch(/^The mail server stops answering/);
});

it.each([sent, putOff])('the capacity stays as long as the server replies in between: %j', (reply) => {
  const capacity = createCapacity(5);
  for (let round = 0; round < 10; round += 1) {
    for (const outcome of [lost, lost, lost, lost, reply]) capacity.learn(outcome);
  }
  expect(capacity.count()).toBe(5);
  expect(capacity.away()).toBeNull();
});
