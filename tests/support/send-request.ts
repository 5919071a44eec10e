import { type Agent, request } from 'node:http';
import { type RequestOptions, request as requestOverTls } from 'node:https';

export interface Asked {
  method?: string;
  /** An array sends the header several times. */
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /** Keeps connections for further requests. */
  agent?: Agent | false;
  /** Other options of the connection, such as the certificate to trust. */
  over?: Pick<RequestOptions, 'ca' | 'servername' | 'localAddress'>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Names and values in turn, as received. */
  rawHeaders: readonly string[];
  body: Buffer;
}

/** Sends a request, by default over its own connection. Unlike fetch, it sends the path exactly as written. */
export function sendRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, agent = false, over }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestOverTls : request;
    const asked = send(url, { path, method, headers, agent, ...over }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
