import { readUniverse } from '#collector/csv/universe.ts';
import { planFor } from '#collector/live/plan.ts';
import { createProblems } from '#collector/problems.ts';
import { type Finding, fine, note, wrong } from './finding.ts';
import { chooseProviders, type ProviderChoice, universeFile } from './live-source.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { nameInputs, nameProvider } from './provider-words.ts';

const leftOutText = ({ provider, leftOut }: ProviderChoice) =>
  `${nameProvider(provider.name)} is left out: ${leftOut}`;

/** Whom a live run asks for what, in which order, and who is left out and why: a finding for inputs asked alike. */
export function examinePlan(settings: ProviderSettings): Finding[] {
  const choices = chooseProviders(settings);
  const alike = new Map<string, { inputs: string[]; asked: boolean }>();
  for (const { input, providers } of planFor(choices.map(({ provider }) => provider))) {
    const able = providers.flatMap((one) => choices.filter(({ provider }) => provider === one));
    const asked = able.filter(({ leftOut }) => leftOut === null);
    const order = asked.map(({ provider }) => nameProvider(provider.name)).join(', then ');
    const text = [
      order === '' ? 'nobody' : order,
      ...able.filter((one) => !asked.includes(one)).map(leftOutText),
    ];
    const key = text.join('; ');
    alike.set(key, { inputs: [...(alike.get(key)?.inputs ?? []), input], asked: order !== '' });
  }
  return [...alike].map(([text, { inputs, asked }]) => {
    const found = `${nameInputs(inputs).join(', ')}: ${text}.`;
    if (asked) return fine(found);
    return inputs.includes('bars') ? wrong(found) : note(found);
  });
}

/** Which companies are followed, and whether the file of them can be read. */
export async function examineUniverse(settings: ProviderSettings): Promise<Finding> {
  const file = universeFile(settings);
  const problems = createProblems();
  try {
    const members = await readUniverse(file, problems);
    const followed = `MARKET_SOURCE is live, following ${members.length} ${members.length === 1 ? 'stock' : 'stocks'} of ${file}`;
    const [first] = problems.shown;
    return first === undefined
      ? fine(`${followed}.`)
      : note(`${followed}; ${problems.refused} of its rows cannot be used, the first is ${first.message}.`);
  } catch (error) {
    return wrong(`MARKET_UNIVERSE: ${error instanceof Error ? error.message : String(error)}`);
  }
}
