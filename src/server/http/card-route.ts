import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from './client-files.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { sendResource, sendText } from './send.ts';

const AWAY = 'The picture cannot be made just now; please try again in a minute.';

/** Sends the picture of the current reading, or 503 while the data cannot be read or the picture not be drawn. */
export async function answerCard(
  card: () => Promise<Resource>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const picture = await card().catch(() => null);
  if (picture === null) sendText(request, response, 503, AWAY, { 'Retry-After': '60' });
  else sendResource(request, response, picture, COMMON_HEADERS);
}
