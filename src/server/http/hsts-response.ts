import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined;

const NAME = 'Strict-Transport-Security';
/** Valid for a year, for this host but not for its subdomains. */
const VALUE = 'max-age=31536000';

const secured = (head: Head) => (Array.isArray(head) ? [...head, NAME, VALUE] : { ...head, [NAME]: VALUE });

/**
 * Adds Strict-Transport-Security to every response. Used if visitors reach the server over TLS. It is the response
 * class of the listener, so that no route can omit the header.
 */
export class HstsResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  override writeHead(status: number, reasonOrHead?: string | Head, head?: Head): this {
    if (typeof reasonOrHead === 'string') return super.writeHead(status, reasonOrHead, secured(head));
    return super.writeHead(status, secured(reasonOrHead));
  }
}
