import { stat } from 'node:fs/promises';
import { readUniverse } from '#collector/csv/market-files.ts';
import { planFor } from '#collector/live/plan.ts';
import { createProblems } from '#collector/problems.ts';
import { fileEnds, missingSeriesFiles } from '#collector/sources/csv-source.ts';
import { sessionsBehind } from '#domain/calendar/sessions.ts';
import { nameOfWebhook } from '#mailer/alerts/webhook-message.ts';
import { reasonOf } from '#server/log.ts';
import { nameInputs } from '#views/origins-view.ts';
import type { Environment } from '../settings/environment.ts';
import { chooseProviders, type ProviderChoice, universeFile } from '../source-choice.ts';
import { nameProvider, writeCount } from '../terminal/wording.ts';
import { isLoopback } from './check-rights.ts';
import { type Check, type Finding, findings, fine, note, wrong } from './finding.ts';

/** Checks the configured source: the files in its folder, or its companies and providers. */
export const checkSource: Check = async ({ environment, now }) => {
  const { marketSource, marketCsvFolder } = environment;
  if (marketSource === 'simulated') return [note('MARKET_SOURCE is simulated, so runs generate demo data.')];
  if (marketSource === 'live')
    return [await examineUniverse(environment), ...examineInputProviders(environment)];
  if (marketCsvFolder === null)
    return [wrong('MARKET_SOURCE is csv, but MARKET_CSV_DIR is not set. Set it to the folder of the files.')];
  const folder = await stat(marketCsvFolder).catch(() => null);
  if (!folder?.isDirectory()) {
    return [
      wrong(
        `MARKET_CSV_DIR is ${marketCsvFolder}, which is not a folder. Set it to the folder of the files.`,
      ),
    ];
  }
  const missing = await missingSeriesFiles(marketCsvFolder);
  return findings(
    fine(`MARKET_SOURCE is csv, from ${marketCsvFolder}.`),
    missing.length > 0 &&
      note(`MARKET_CSV_DIR has no ${missing.join(', ')}, so indicators that need these files stay empty.`),
    ...(await examineFiles(marketCsvFolder, now)),
  );
};

async function examineFiles(folder: string, now: number): Promise<Finding[]> {
  try {
    const ends = await fileEnds(folder);
    return ends.map(({ file, last }) => {
      if (last === null) return note(`${file} has no row with a date. Write dates as YYYY-MM-DD.`);
      const behind = sessionsBehind(last, now);
      return behind === 0
        ? fine(`${file} ends on ${last}.`)
        : note(
            `${file} ends on ${last}, ${writeCount(behind, 'session')} behind. Add newer rows, then run collect.`,
          );
    });
  } catch (error) {
    return [wrong(reasonOf(error))];
  }
}

const unusedText = ({ provider, unusedBecause }: ProviderChoice) =>
  `${nameProvider(provider.name)} is not used: ${unusedBecause}`;

/** Lists the providers of each input in their order, then those that are not used. Equal texts share one finding. */
export function examineInputProviders(settings: Environment): Finding[] {
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

/** Checks the file of the companies. Names its first invalid row. */
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

export const checkAddress: Check = ({ environment: { host, publicUrl } }) => {
  if (publicUrl !== null) return [fine(`PUBLIC_URL is ${publicUrl}.`)];
  return isLoopback(host)
    ? [note('PUBLIC_URL is not set, so links lead to this machine.')]
    : [
        wrong(
          `The server listens on ${host}, but PUBLIC_URL is not set, so links lead to this machine. Set PUBLIC_URL.`,
        ),
      ];
};

/** Lists the webhooks without their URLs, which are secret. Sends no request. */
export const checkWebhooks: Check = ({ environment: { alerts } }) => {
  const { webhooks, allowsPrivate } = alerts;
  if (webhooks.length === 0) {
    return [note('ALERT_WEBHOOKS is not set: no webhook is called when the verdict changes.')];
  }
  const names = webhooks.map(nameOfWebhook).join(', ');
  return findings(
    fine(`Changes of the verdict go to ${names}. "alerts test" sends a test message.`),
    allowsPrivate && note('ALERT_ALLOW_PRIVATE is true: webhooks may be at private addresses.'),
  );
};

export const checkMailSettings: Check = ({ environment: { mail, publicUrl } }) => {
  const { smtpUrl, outboxFolder, perSecond, postalAddress, doubleOptIn } = mail;
  if (smtpUrl === null) {
    return [note(`SMTP_URL is not set, so mails are written into ${outboxFolder} and not sent.`)];
  }
  return findings(
    fine(`Mail is sent through ${new URL(smtpUrl).host}, at most ${perSecond} per second.`),
    !publicUrl?.startsWith('https:') &&
      note('PUBLIC_URL is not https, so mail programs show no unsubscribe button.'),
    postalAddress === null &&
      note('MAIL_POSTAL_ADDRESS is not set. Many countries require a postal address in every newsletter.'),
    !doubleOptIn && note('SUBSCRIBE_CONFIRM is off, so anybody can subscribe any address.'),
  );
};
