import { startPostgres } from '#tests/support/postgres.ts';
import { type AtEnd, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { awayFigures } from './load-away.ts';
import { MOST_BATCHES } from './load-batch.ts';
import { judge } from './load-responses.ts';
import { generatorOf, type Loaded, startLoaded } from './loaded.ts';

const PER_SECOND = 2_000;
const SECONDS = 60;
/** Duration of the warm-up, which is not measured (s). */
const WARM_SECONDS = 3;
const BETWEEN_COMMITS = 1_000;
const PATIENCE = 1_000;
/** Maximum number of batches in the first part. It leaves some for the later parts. */
const MOST_COMMITS = MOST_BATCHES - 9;

/**
 * Sends 2,000 requests per second for a minute, for the page and all its reads, while a run's rows are committed every
 * second. Checks every response. Runs over the embedded database, where the server commits, and over Postgres, where
 * another process does. Then that Postgres hangs for a while.
 */
export function benchLoad(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const embedded = await startLoaded('embedded', null, atEnd);
    const figures = await loadFigures(embedded, atEnd);
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const shared = await startLoaded('over Postgres', postgres.url, atEnd);
    figures.push(...(await loadFigures(shared, atEnd)));
    return [...figures, ...(await awayFigures(shared, postgres.url, atEnd))];
  });
}

async function loadFigures(loaded: Loaded, atEnd: AtEnd): Promise<Figure[]> {
  const { name, commit, first } = loaded;
  const generate = generatorOf(loaded, atEnd);
  const commits = [first];
  await generate({ perSecond: PER_SECOND, seconds: WARM_SECONDS });
  let isOver = false;
  const committing = async () => {
    while (!isOver && commits.length < MOST_COMMITS) {
      const next = Date.now() + BETWEEN_COMMITS;
      commits.push(await commit());
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
  };
  const asking = generate({ perSecond: PER_SECOND, seconds: SECONDS }).finally(() => {
    isOver = true;
  });
  const [{ answers, reasons }] = await Promise.all([asking, committing()]);
  for (const reason of reasons) console.log(`  ${name}: ${reason}`);
  const judged = judge(answers, commits, PATIENCE);
  const figure = (what: string, value: number, unit = '', bound?: Figure['bound']): Figure => ({
    what: `${name}: ${what}`,
    ...{ value, unit },
    ...(bound && { bound }),
  });
  return [
    figure('requests', judged.requests, '', { exactly: PER_SECOND * SECONDS }),
    figure('commits meanwhile', commits.length - 1, '', { atLeast: SECONDS - 5 }),
    figure('failed', judged.failed, '', { exactly: 0 }),
    figure('with parts of two commits', judged.mixed, '', { exactly: 0 }),
    figure('older than a second after a newer commit', judged.tooOld, '', { exactly: 0 }),
    figure('longest after a commit that one without it came', judged.oldest, 'ms', { atMost: PATIENCE }),
    figure('p50 from when it was due', judged.p50, 'ms'),
    figure('p99 from when it was due', judged.p99, 'ms'),
    figure('slowest from when it was due', judged.slowest, 'ms'),
  ];
}
