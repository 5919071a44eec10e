import { renderConfirmation } from '#mailer/render/render-confirmation.ts';
import { renderWeeklySignal } from '#mailer/render/render-weekly-signal.ts';
import { demoSignal, sampleSignal, thinSignal } from '../weekly-signal.ts';
import { FRAME } from './frame.ts';

const confirmUrl = `https://barometer.example/confirm/${'AbC-_9x'.repeat(6)}`;

export const pages = {
  'mail-weekly-signal': renderWeeklySignal(sampleSignal(), FRAME).html,
  'mail-weekly-demo': renderWeeklySignal(demoSignal(), FRAME).html,
  'mail-weekly-thin': renderWeeklySignal(thinSignal(), FRAME).html,
  'mail-confirmation': renderConfirmation(FRAME, confirmUrl).html,
};
