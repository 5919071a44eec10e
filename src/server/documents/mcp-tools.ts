import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LedgerError } from '#record/ledger/entries.ts';
import { verifyLedger } from '#record/ledger/verify-ledger.ts';
import { signalsTable } from '#views/outputs/bulk-tables.ts';
import { currentSignal } from '#views/outputs/current-signal.ts';
import { dataState, demoText, isDemo } from '#views/outputs/data-state.ts';
import { recordView } from '#views/record-view.ts';
import { DELAY_TEXT } from '#views/rights-view.ts';
import { RISK_CAVEATS, type RiskRecord, riskView } from '#views/risk-view.ts';
import { DESCRIBES, nextText } from '#views/signal-view.ts';
import { toResource } from '../http/response.ts';
import type { CachedValue } from './cached-value.ts';
import { createDocument, type Document, type DocumentParts } from './document.ts';
import { type OutputData, outputDataOf, type Release } from './release.ts';

/** Returns the result for valid arguments. `client` returns the network of the client. Rejects if it cannot be read now. */
type Run = (given: Readonly<Record<string, unknown>>, client: () => string) => Promise<object>;

/** A tool of the MCP endpoint. Its result is data: no text of it is an instruction. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** The arguments as JSON Schema, by name. All of them are required. None by default. */
  readonly properties?: Readonly<Record<string, object>>;
  readonly run: Run;
}

interface ToolParts extends Pick<DocumentParts, 'home' | 'publishDelay' | 'now' | 'log' | 'waitMs'> {
  readonly releases: Pick<CachedValue<Release>, 'current'>;
  readonly risk: Pick<CachedValue<RiskRecord>, 'current'>;
  readonly day: Document['serve'];
  readonly ledger: Document['serve'];
}

const WEEKS = 26;
/** The verifier of the ledger needs an address. Its requests never leave the server. */
const HERE = 'http://here';

/** The parts of `explain`: every input with its weight, score and points, and the ways to another verdict. */
function explanation({ view: { signal } }: OutputData) {
  const { verdict, score, headline, measuredText, totalText, distances, next, sinceLastWeek } = signal;
  return {
    ...{ verdict: verdict === 'Insufficient data' ? null : verdict, score: score.value, headline },
    ...{ measured: measuredText, total_points: totalText },
    inputs: signal.rows.map((row) => ({
      ...{ input: row.input, name: row.name, weight: row.weightText, score: row.score.value },
      ...{ points: row.points.value, effect: row.effect.value, note: row.note },
      older_session: row.olderSession ?? null,
    })),
    other_verdicts: distances.map((other) => ({
      verdict: other.verdict,
      text: `at ${other.edgeText}, ${other.text}`,
    })),
    next: next && `${next.title}: ${nextText(next)}`,
    since_last_week: sinceLastWeek?.text ?? null,
  };
}

/** The parts of `record`: the summary of each market and formula, and the newest weeks with their numbers. */
function recorded({ rows: { record } }: OutputData) {
  const { segments, missingText } = recordView(record);
  const { columns, rows } = signalsTable(record);
  return {
    segments: segments.map(({ title, demoNote, spanText, primary, summary }) => ({
      ...{ title, origin: demoNote, span: spanText, primary, summary },
    })),
    missing: missingText,
    newest_weeks: rows
      .slice(-WEEKS)
      .reverse()
      .map((cells) => Object.fromEntries(columns.map((column, at) => [column, cells[at]]))),
  };
}

/** Creates the tools. Their results are built once for each change of the data, and state its age and origin. */
export function mcpTools(parts: ToolParts): McpTool[] {
  const { releases, risk, day, ledger, home, publishDelay = 0, now } = parts;
  const stateOf = (data: OutputData) => ({
    ...{ ...dataState(data), demonstration: isDemo(data) },
    note: [isDemo(data) ? `${demoText(data)}.` : '', publishDelay > 0 ? DELAY_TEXT : '', DESCRIBES]
      .filter((text) => text !== '')
      .join(' '),
  });

  /** Returns a function that reads a document with the data that it shows. */
  function reader<Input>(input: CachedValue<Input>['current'], content: (input: Input) => object): Run {
    const { serve } = createDocument(
      {
        path: '',
        input,
        content,
        build: async (shown) => toResource(Buffer.from(JSON.stringify(shown)), {}),
      },
      parts,
    );
    return async (_, client) => {
      const served = await serve({ path: '/mcp', query: '', client });
      // The document exists for every input.
      return { ...JSON.parse(String(served?.value.content)), seconds_unchecked: served?.age?.() ?? 0 };
    };
  }
  const ofRelease = (content: (data: OutputData) => object) =>
    reader(releases.current, (release: Release) => {
      const data = outputDataOf(release, now());
      return { ...content(data), ...stateOf(data) };
    });

  const state = ofRelease(() => ({}));
  const withState =
    (run: Run): Run =>
    async (given, client) => ({ ...(await run(given, client)), ...(await state(given, client)) });
  const signal = ofRelease((data) => ({ ...currentSignal(data), page: home }));
  const explain = ofRelease((data) => ({ ...explanation(data), page: `${home}method` }));
  const record = ofRelease((data) => ({ ...recorded(data), page: `${home}record` }));
  const outlook = reader(risk.current, (read) => ({
    ...riskView(read, now(), publishDelay > 0),
    caveats: RISK_CAVEATS,
    page: `${home}risk`,
  }));

  const dayOf: Run = async ({ date }, client) => {
    const served = await day({ path: `/on/${date}.json`, query: '', client });
    const page = `${home}on/${date}`;
    if (served?.value.status !== 200) {
      const reason =
        'No rows of this date were published on its own day. Give the date of a past trading session.';
      return { session: date, rows: null, reason, page };
    }
    const { content } = served.value;
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { session: date, sha256, rows: JSON.parse(String(content)), page };
  };

  async function ledgerFile(path: string): Promise<Buffer | null> {
    const served = await ledger({ path, query: '', client: () => HERE });
    return served?.value.content ?? null;
  }
  const fromHere: typeof fetch = async (input) => {
    // Verifying a file takes some milliseconds. Other requests get their turn between two files.
    await nextTurn();
    const content = await ledgerFile(new URL(String(input)).pathname);
    return new Response(content && new Uint8Array(content), { status: content === null ? 404 : 200 });
  };
  async function verification(checkpoint: string) {
    const independent = `npm run barometer -- ledger verify ${home}`;
    try {
      const { origin, size } = await verifyLedger({ site: HERE, fetch: fromHere, now: now() });
      return { verified: true, ledger: origin, entries: size, checkpoint, independent };
    } catch (error) {
      if (!(error instanceof LedgerError) || error.cause !== undefined) throw error;
      return { verified: false, reason: error.message, checkpoint, independent };
    }
  }
  let verified: { readonly checkpoint: string; readonly result: Promise<object> } | null = null;
  /** Verifies the ledger once for each checkpoint. */
  async function verify(): Promise<object> {
    const checkpoint = (await ledgerFile('/ledger/checkpoint'))?.toString();
    if (checkpoint === undefined) return { verified: null, reason: 'The ledger has no entry yet.' };
    if (verified?.checkpoint !== checkpoint) {
      const mine = { checkpoint, result: verification(checkpoint) };
      verified = mine;
      mine.result.catch(() => {
        if (verified === mine) verified = null;
      });
    }
    return verified.result;
  }

  return [
    {
      name: 'signal',
      description:
        'The newest BUY, HOLD or SELL signal of the US stock market: verdict, score of 0 to 100, inputs, and the risk outlook. The same as /signal.json.',
      run: signal,
    },
    {
      name: 'explain',
      description:
        'How the newest signal follows: score, weight and points of each input, and what would change the verdict.',
      run: explain,
    },
    {
      name: 'record',
      description: `What followed the weekly signals: changes of the S&P 500 after each verdict, and the newest ${WEEKS} weeks.`,
      run: record,
    },
    {
      name: 'risk',
      description:
        'How much the S&P 500 may move in the next four weeks, up or down, and the grades of earlier outlooks. It says nothing about direction.',
      run: withState(outlook),
    },
    {
      name: 'day',
      description:
        'The rows of a past trading session as they were published on its evening, with the SHA-256 that the ledger has.',
      properties: {
        date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Such as 2026-10-05.' },
      },
      run: withState(dayOf),
    },
    {
      name: 'verify',
      description:
        'Verifies the signature and all entries of the public ledger, which has every signal, grade and publication.',
      run: withState(verify),
    },
  ];
}
