import { renderVerdictChange } from '#mailer/render/render-verdict-change.ts';
import { renderNotice } from '#server/page/notice-page.ts';
import { ALERTS_OPTION, QUESTIONS, RESULTS } from '#server/page/subscription-notices.ts';
import { FRAME } from './frame.ts';

const place = { productName: 'Barometer', home: '../' };
const option = { ...ALERTS_OPTION, isOn: true, action: 'alerts/AbC-_9' };

export const pages = {
  'mail-alert': renderVerdictChange(
    {
      ...{ id: 3, session: '2026-11-20', at: 0, from: 'HOLD', to: 'BUY', score: 62.34 },
      ...{ source: 'live', formulaVersion: '2' },
    },
    FRAME,
  ).html,
  'notice-unsubscribe-or-alerts': renderNotice({ ...QUESTIONS.unsubscribe, option }, place),
  'notice-alerts-saved': renderNotice(RESULTS['alerts on'], place),
};
