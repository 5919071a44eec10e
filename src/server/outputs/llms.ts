import { DESCRIBES } from '#views/signal-view.ts';

const PLACES = [
  ['signal.json', 'the newest signal with its inputs, its age and its source'],
  ['signals.csv', 'every weekly signal and the change of the S&P 500 that followed'],
  ['fear-greed.csv', 'the Fear & Greed index and its components of every session'],
  ['feed.atom', 'weekly signals and lasting changes of the verdict'],
  ['record', 'the record of the weekly signals'],
  ['risk', 'how much the S&P 500 may move in four weeks'],
  ['method', 'the meaning of every number'],
  ['quality', 'missing, late and corrected data'],
  ['openapi.json', 'OpenAPI description of the data'],
  ['mcp', 'MCP endpoint with read-only tools (streamable HTTP)'],
] as const;

/** Returns `/llms.txt` (llmstxt.org). `home` is the address of the dashboard, with a slash at its end. Files have no MCP endpoint. */
export function llmsText(productName: string, home: string, hasServer = true): string {
  const places = PLACES.filter(([path]) => hasServer || path !== 'mcp');
  // A name with a line feed would begin another line.
  const name = productName.replace(/\s+/g, ' ').trim();
  return [
    `# ${name}`,
    '',
    `> One screen on the US stock market: a Buy, Hold or Sell signal with its reasons. ${DESCRIBES} It is not financial advice.`,
    '',
    'State the age of each number (`as_of`, `sessions_behind`, `next_due`). A `source` of `simulated` or `replay` is a demonstration. Null is unknown.',
    '',
    '## Data',
    '',
    ...places.map(([path, text]) => `- [${path}](${home}${path}): ${text}`),
    '',
  ].join('\n');
}
