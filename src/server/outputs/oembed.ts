import { badgeOf } from '#views/outputs/cards.ts';
import { type CurrentData, dataState, stateText } from '#views/outputs/data-state.ts';
import { EMBED_SIZE } from '#views/page-texts.ts';
import type { DocumentPlace } from '#web/documents/document-page.tsx';
import { OUTPUT_HEADERS, stateHeaders } from '../http/open-headers.ts';
import { type Resource, toResource } from '../http/response.ts';
import { escapeAttribute } from '../page/escape.ts';

const refused = (status: number, sentence: string) =>
  toResource(
    Buffer.from(`${sentence}\n`),
    { ...OUTPUT_HEADERS, 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    { status },
  );

function isOurs(address: string, home: string): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, pathname } = new URL(address);
  const own = new URL(home);
  return (
    origin === own.origin &&
    [own.pathname, `${own.pathname}embed/`].includes(`${pathname}/`.replace('//', '/'))
  );
}

/** Returns the smaller of a size and the requested size; null if the requested size is not a positive whole number. */
function atMost(size: number, requested: string | null): number | null {
  if (requested === null) return size;
  return /^[1-9]\d{0,5}$/.test(requested) ? Math.min(size, Number(requested)) : null;
}

/** Returns the response to a query of `/oembed` (oembed.com), which describes the card. */
export function oEmbedResource(
  data: CurrentData,
  query: string,
  { productName, home }: DocumentPlace,
): Resource {
  const parameters = new URLSearchParams(query);
  const address = parameters.get('url');
  if (address === null)
    return refused(400, 'The address of the page is missing. Add it as the parameter url.');
  if (!isOurs(address, home))
    return refused(404, `This address cannot be embedded. Set the parameter url to ${home}.`);
  if ((parameters.get('format') ?? 'json') !== 'json')
    return refused(501, 'This format is not available. Set the parameter format to json.');
  const width = atMost(EMBED_SIZE.width, parameters.get('maxwidth'));
  const height = atMost(EMBED_SIZE.height, parameters.get('maxheight'));
  if (width === null || height === null)
    return refused(
      400,
      'The parameter maxwidth or maxheight is wrong. Write both as whole numbers of pixels.',
    );
  const state = dataState(data);
  const title = `${productName}: ${badgeOf(data).message}`;
  const source = `src="${escapeAttribute(`${home}embed`)}"`;
  const html = `<iframe ${source} title="${escapeAttribute(title)}" width="${width}" height="${height}" style="border:0" loading="lazy"></iframe>`;
  const body = {
    ...{ version: '1.0', type: 'rich', title, html, width, height, cache_age: 60 },
    ...{ provider_name: productName, provider_url: home, description: stateText(data), ...state },
  };
  return toResource(Buffer.from(JSON.stringify(body)), {
    ...OUTPUT_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    ...stateHeaders(state),
  });
}
