import { type Agent, request } from 'node:http';

export interface Asked {
  method?: string;
  /** An array sends the header several times. */
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  /** Keeps connections for further requests. */
  agent?: Agent | false;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a request, by default over its own connection. Unlike fetch, it sends the path exactly as written. */
export function sendRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, agent = false }: Asked = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
