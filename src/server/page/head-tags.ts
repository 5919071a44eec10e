import { CARD_PATH, CARD_SIZE } from './card/card.ts';
import { inAttribute } from './markup.ts';

/**
 * What only a page that knows its address can say: which address is the true one, and where the picture is
 * that other sites show beside a link to it. Those sites keep what they read, so no reading stands in the
 * words; the picture carries its date. Without `publicUrl` nothing: the name a request came by may be anybody's.
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
