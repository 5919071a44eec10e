import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Release } from '../release/build-release.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { sendResource, sendText } from './send.ts';

const AWAY = 'The picture cannot be made just now; please try again in a minute.';

/** Sends the image of the release; 503 if there are no data or it cannot be drawn. No cache may store it while it is stale. */
export async function answerCard(
  { image, age }: Release,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const picture = (await image?.().catch(() => null)) ?? null;
  if (picture === null) sendText(request, response, 503, AWAY, { 'Retry-After': '60' });
  else if (age === null) sendResource(request, response, picture, COMMON_HEADERS);
  else sendResource(request, response, { ...picture, cacheControl: 'no-store' }, COMMON_HEADERS, age());
}
