import type { IncomingMessage, ServerResponse } from 'node:http';
import { QueryError } from '#queries/errors.ts';
import type { Resource } from './client-files.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { sendResource, sendText } from './send.ts';

const AWAY = 'The market data cannot be read just now; please try again in a minute.';

/** Sends the picture of the current reading, or 503 while the data cannot be read. */
export async function answerCard(
  card: () => Promise<Resource>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let picture: Resource;
  try {
    picture = await card();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    sendText(request, response, 503, AWAY, { 'Retry-After': '60' });
    return;
  }
  await sendResource(request, response, picture, COMMON_HEADERS);
}
