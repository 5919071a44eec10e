import { readLock } from '#database/embedded/lock.ts';
import type { OperatorMessage } from '#server/http/operator-route.ts';
import type { Environment } from './environment.ts';
import { embeddedFolder } from './open-database.ts';

/** Asks the server that has the database open to do something; answers what it answers. */
export type AskServer = (
  operation: string,
  body: unknown,
  report: (line: string) => void,
) => Promise<unknown>;

/**
 * How to reach the server that has the embedded database of this data folder open; null when there is none,
 * so that a command may open the database itself.
 */
export async function findServer(environment: Environment): Promise<AskServer | null> {
  if (environment.databaseUrl !== null) return null;
  const { url, token } = (await readLock(embeddedFolder(environment))) ?? {};
  if (url === undefined || token === undefined) return null;
  return async (operation, body, report) => {
    const response = await fetch(`${url}/operator/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok || response.body === null) {
      throw new Error(`The server at ${url} refused: ${(await response.text()).trim()}`);
    }
    for await (const message of messages(response.body)) {
      if ('line' in message) report(message.line);
      else if ('error' in message) throw new Error(message.error);
      else return message.result;
    }
    throw new Error(`The server at ${url} stopped before it was done; look at its log.`);
  };
}

async function* messages(body: AsyncIterable<Uint8Array>): AsyncGenerator<OperatorMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as OperatorMessage;
  }
}
