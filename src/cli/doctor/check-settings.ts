import { stat } from 'node:fs/promises';
import { readUniverse } from '#collector/csv/universe.ts';
import { planFor } from '#collector/live/plan.ts';
import { createProblems } from '#collector/problems.ts';
import { missingSeriesFiles } from '#collector/sources/csv.ts';
import { reasonOf } from '#server/log.ts';
import type { Environment } from '../settings/environment.ts';
import { chooseProviders, type ProviderChoice, universeFile } from '../settings/live-source.ts';
import { nameInputs, nameProvider, writeCount } from '../terminal/wording.ts';
import { type Check, type Finding, fine, note, wrong } from './finding.ts';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** The configured source: the files of its folder, or its companies and providers. */
export const checkSource: Check = async ({ environment }) => {
  const { marketSource, marketCsvFolder } = environment;
  if (marketSource === 'simulated') return [note('MARKET_SOURCE is simulated: runs generate demo data.')];
  if (marketSource === 'live') return [await examineUniverse(environment), ...examinePlan(environment)];
  if (marketCsvFolder === null)
    return [wrong('MARKET_SOURCE is csv, but MARKET_CSV_DIR is not set. Set it to the folder of the files.')];
  const folder = await stat(marketCsvFolder).catch(() => null);
  if (!folder?.isDirectory()) {
    return [wrong(`MARKET_CSV_DIR is ${marketCsvFolder}, which is not a folder.`)];
  }
  const missing = await missingSeriesFiles(marketCsvFolder);
  return [
    fine(`MARKET_SOURCE is csv, from ${marketCsvFolder}.`),
    ...(missing.length > 0
      ? [note(`MARKET_CSV_DIR has no ${missing.join(', ')}: indicators that need them stay empty.`)]
      : []),
  ];
};

const unusedText = ({ provider, unusedBecause }: ProviderChoice) =>
  `${nameProvider(provider.name)} is not used: ${unusedBecause}`;

/** The providers of each input in the order of requests, and those not used. Groups inputs with the same text. */
export function examinePlan(settings: Environment): Finding[] {
  const choices = chooseProviders(settings);
  const alike = new Map<string, { inputs: string[]; used: boolean }>();
  for (const { input, providers } of planFor(choices.map(({ provider }) => provider))) {
    const able = providers.flatMap((one) => choices.filter(({ provider }) => provider === one));
    const used = able.filter(({ unusedBecause }) => unusedBecause === null);
    const order = used.map(({ provider }) => nameProvider(provider.name)).join(', then ');
    const text = [
      order === '' ? 'no provider' : order,
      ...able.filter((one) => !used.includes(one)).map(unusedText),
    ];
    const key = text.join('; ');
    alike.set(key, { inputs: [...(alike.get(key)?.inputs ?? []), input], used: order !== '' });
  }
  return [...alike].map(([text, { inputs, used }]) => {
    const found = `${nameInputs(inputs).join(', ')}: ${text}.`;
    if (used) return fine(found);
    return inputs.includes('bars') ? wrong(found) : note(found);
  });
}

/** The file of the companies, and its first invalid row. */
export async function examineUniverse(settings: Environment): Promise<Finding> {
  const file = universeFile(settings);
  const problems = createProblems();
  try {
    const members = await readUniverse(file, problems);
    const followed = `MARKET_SOURCE is live, following ${writeCount(members.length, 'stock')} of ${file}`;
    const [first] = problems.shown;
    return first === undefined
      ? fine(`${followed}.`)
      : note(`${followed}; ${writeCount(problems.refused, 'row')} cannot be used: ${first.message}.`);
  } catch (error) {
    return wrong(`MARKET_UNIVERSE: ${reasonOf(error)}`);
  }
}

/** The address of the page in links. */
export const checkAddress: Check = ({ environment: { host, publicUrl } }) => {
  if (publicUrl !== null) return [fine(`PUBLIC_URL is ${publicUrl}.`)];
  return LOOPBACK.includes(host)
    ? [note('PUBLIC_URL is not set: the page is for this machine only.')]
    : [
        wrong(
          `The server listens on ${host}, but PUBLIC_URL is not set: links would lead to this machine. Set PUBLIC_URL.`,
        ),
      ];
};

/** The mail settings. Sends no request. */
export const checkMailSettings: Check = ({ environment: { mail, publicUrl } }) => {
  const { smtpUrl, outboxFolder, perSecond, postalAddress, asksToConfirm } = mail;
  if (smtpUrl === null) {
    return [note(`SMTP_URL is not set: mails are written into ${outboxFolder}, not sent.`)];
  }
  return [
    fine(`Mail is sent through ${new URL(smtpUrl).host}, at most ${perSecond} per second.`),
    ...(publicUrl?.startsWith('https:')
      ? []
      : [note('PUBLIC_URL is not https: mail programs show no unsubscribe button.')]),
    ...(postalAddress === null
      ? [note('MAIL_POSTAL_ADDRESS is not set: many countries require one in every newsletter.')]
      : []),
    ...(asksToConfirm ? [] : [note('SUBSCRIBE_CONFIRM is off: anybody can subscribe any address.')]),
  ];
};
