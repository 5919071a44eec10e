import { type Notice, renderNotice } from '#server/page/notice-page.ts';
import { INVALID_LINKS, QUESTIONS, RESULTS, unavailableNotice } from '#server/page/subscription-notices.ts';

const page = (notice: Notice) => renderNotice(notice, { productName: 'Barometer', home: '../' });

export const pages = {
  'notice-confirm': page(QUESTIONS.confirm),
  'notice-confirmed': page(RESULTS.confirmed),
  'notice-confirmed-before': page(RESULTS['confirmed before']),
  'notice-unsubscribe': page(QUESTIONS.unsubscribe),
  'notice-unsubscribed': page(RESULTS.left),
  'notice-unsubscribed-before': page(RESULTS['left before']),
  'notice-invalid': page(INVALID_LINKS.confirm),
  'notice-invalid-unsubscribe': page(INVALID_LINKS.unsubscribe),
  'notice-away': page(unavailableNotice('confirm')),
};
