import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a web server on a free port of loopback. */
export async function listenOnLoopback(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A web server on loopback that responds with `handler`, which a test may change at any time. */
export interface Loopback {
  url: string;
  /** Path and query of each request. */
  asked: string[];
  handler: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const listening = await listenOnLoopback((request, response) => {
    loopback.asked.push(request.url ?? '');
    // The server uses the machine's clock. A test about clocks sets the Date header itself.
    response.sendDate = false;
    loopback.handler(request, response);
  });
  const loopback: Loopback = {
    ...listening,
    asked: [],
    handler: (_, response) => void response.writeHead(404).end(),
  };
  return loopback;
}
