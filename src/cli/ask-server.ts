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
    const reach = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        throw connectionError(url, error);
      });
    const response = await reach(
      fetch(`${url}/operator/${operation}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
    if (!response.ok || response.body === null) {
      throw new Error(`The server at ${url} refused: ${(await reach(response.text())).trim()}`);
    }
    const lines = messages(response.body);
    for (;;) {
      const { done, value: message } = await reach(lines.next());
      if (done) throw connectionError(url, null);
      if ('line' in message) report(message.line);
      else if ('error' in message) throw new Error(message.error);
      else return message.result;
    }
  };
}

/** A plain sentence for a request that got no complete response. */
function connectionError(url: string, error: unknown): Error {
  const { code } = ((error as Error | null)?.cause ?? {}) as NodeJS.ErrnoException;
  const sentence =
    code === 'ECONNREFUSED'
      ? `The server at ${url} accepts no command: it is stopping, or runs in another container. Run the command again, or in that container.`
      : `The server at ${url} stopped before the command was done. Look at its log, and run the command again.`;
  return new Error(sentence, { cause: error });
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
