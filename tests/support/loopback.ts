import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server on loopback that responds with `handler`, which a test may change at any time. */
export interface Loopback {
  url: string;
  /** Path and query of each request. */
  asked: string[];
  handler: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const server = createServer((request, response) => {
    loopback.asked.push(request.url ?? '');
    // The server uses the machine's clock. A test about clocks sets the Date header itself.
    response.sendDate = false;
    loopback.handler(request, response);
  });
  const loopback: Loopback = {
    url: '',
    asked: [],
    handler: (_, response) => void response.writeHead(404).end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  loopback.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return loopback;
}
