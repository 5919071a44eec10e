import type { InputOrigin } from '#collector/origins.ts';
import type { ProblemKind, ProblemSummary } from '#collector/problems.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Transaction } from '#database/port.ts';
import { type Finding, fine, note } from './finding.ts';
import { nameCalls, nameFailures, nameMissing } from './provider-words.ts';

/** What of a run's notes somebody has to do something about. */
const TOLD: readonly ProblemKind[] = ['provider', 'clock', 'missing symbol'];
const TOLD_OF_EACH = 3;

/** What the newest run that ended asked of providers, who failed it and what is missing; nothing for other sources. */
export async function examineCalls(transaction: Transaction): Promise<Finding[]> {
  const [run] = await transaction.query<{
    providers: ProviderCalls[];
    origins: InputOrigin[];
    problems: ProblemSummary[];
  }>(
    `select providers, origins, problems from collector.runs
     where status <> 'running' order by id desc limit 1`,
  );
  if (run === undefined || run.providers.length === 0) return [];
  return [
    fine(`The last run asked ${nameCalls(run.providers)}.`),
    ...[...nameFailures(run.providers), ...nameMissing(run.origins)].map((text) => note(`${text}.`)),
    ...run.problems.filter(({ kind }) => TOLD.includes(kind)).flatMap(tell),
  ];
}

function tell({ count, first }: ProblemSummary): Finding[] {
  const told = first.slice(0, TOLD_OF_EACH);
  const more = count - told.length;
  return told.map((message, at) => {
    const isLast = more > 0 && at === told.length - 1;
    return note(
      isLast ? `${message} (${more.toLocaleString('en-US')} more like it in collector.runs)` : message,
    );
  });
}
