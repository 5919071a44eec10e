import { CARD_PATH, CARD_SIZE } from './card/card.ts';
import { inAttribute } from './escape.ts';

/**
 * The canonical address and the share image of the page; nothing without `publicUrl`, as a request's Host header can name
 * any site. Other sites cache these tags, so they hold no reading; the image shows its date.
 */
export function headTags(publicUrl: string | null): string {
  if (publicUrl === null) return '';
  const at = (path: string) => inAttribute(new URL(path, `${publicUrl}/`).href);
  return [
    `<link rel="canonical" href="${at('.')}">`,
    `<meta property="og:url" content="${at('.')}">`,
    `<meta property="og:image" content="${at(`.${CARD_PATH}`)}">`,
    `<meta property="og:image:width" content="${CARD_SIZE.width}">`,
    `<meta property="og:image:height" content="${CARD_SIZE.height}">`,
    `<meta property="og:image:alt" content="${inAttribute('Signal, score, Fear & Greed')}">`,
    '<meta name="twitter:card" content="summary_large_image">',
  ].join('');
}
