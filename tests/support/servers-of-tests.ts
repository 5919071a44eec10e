import { beforeEach } from 'vitest';
import { startLoopback } from './loopback.ts';
import { startProviderStubs } from './providers/stubs.ts';
import { shared } from './shared.ts';

/** A web server on loopback for the tests of the block that calls this. Each test begins without requests. */
export function loopbackOfTheseTests() {
  const server = shared(startLoopback);
  beforeEach(() => {
    server.asked.length = 0;
  });
  return server;
}

/** Provider stubs for the tests of the block that calls this. Each test begins without requests and faults. */
export function stubsOfTheseTests(options: Parameters<typeof startProviderStubs>[0]) {
  const stubs = shared(() => startProviderStubs(options));
  beforeEach(() => stubs.reset());
  return stubs;
}
