import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

const away = {
  result: 'away',
  smtpStatus: '421',
  reason: 'The mail server closes its connections for now (421).',
} as const;
const lost = { result: 'later', smtpStatus: null } as const;
const putOff = { result: 'later', smtpStatus: '450' } as const;
const sent = { result: 'sent' } as const;

it('lose one with each connection sent away, until none is left', () => {
  const slots = createSlots(3);
  expect(slots.away()).toBeNull();
  for (const left of [2, 1, 0, 0]) {
    slots.learn(away);
    expect(slots.count()).toBe(left);
  }
  expect(slots.away()).toBe(away.reason);
});

it('are gone when five mails in a row are lost without a reply', () => {
  const slots = createSlots(5);
  for (const outcome of [lost, lost, lost, lost]) slots.learn(outcome);
  expect(slots.count()).toBe(5);
  slots.learn(lost);
  expect(slots.count()).toBe(0);
  expect(slots.away()).toMatch(/^The mail server stops answering/);
});

it.each([sent, putOff])('stay as long as the server replies in between: %j', (reply) => {
  const slots = createSlots(5);
  for (let round = 0; round < 10; round += 1) {
    for (const outcome of [lost, lost, lost, lost, reply]) slots.learn(outcome);
  }
  expect(slots.count()).toBe(5);
  expect(slots.away()).toBeNull();
});
