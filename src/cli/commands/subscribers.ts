import { type FileHandle, open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { eraseFromOutbox, eraseSubscriber } from '#mailer/subscribers/erase.ts';
import { EXPORT_FORMATS, exportSubscribers } from '#mailer/subscribers/export-subscribers.ts';
import { type ImportReport, importSubscribers } from '#mailer/subscribers/import-subscribers.ts';
import { type Context, command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { UsageError } from '../settings/usage-error.ts';
import { readSubscriberFile } from '../subscriber-file.ts';
import { withProgress } from '../terminal/progress.ts';
import { writeCount, writeNumber } from '../terminal/wording.ts';

async function openNewFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(
      code === 'EEXIST'
        ? `${path} exists. Choose another file with --output.`
        : `${path} cannot be written (${code}). Choose another file with --output.`,
      { cause: error },
    );
  }
}

type ExportChoice = Omit<Parameters<typeof exportSubscribers>[1], 'write'>;

async function exportToFile(context: Context, path: string, choice: ExportChoice) {
  const file = await openNewFile(path);
  try {
    const counts = await withDatabase(context, (database) =>
      exportSubscribers(database, { ...choice, write: (text) => file.appendFile(text) }),
    );
    await file.sync();
    context.stdout.write(
      `Exported ${writeCount(counts.written, 'subscriber')} to ${path}. Protect the file: it has their addresses.\n`,
    );
    return counts;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** Writes at the speed of the reader, and ends without an error if it closes the pipe, as `| head` does. */
async function exportToOutput(context: Context, choice: ExportChoice) {
  const closed = new Error('The output was closed.');
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      context.stdout.write(text, (error) => (error ? reject(closed) : resolve()));
    });
  try {
    return await withDatabase(context, (database) => exportSubscribers(database, { ...choice, write }));
  } catch (error) {
    if (error !== closed) throw error;
    return { written: 0, leftOut: 0 };
  }
}

function readExportChoice(name: string, isActiveOnly: boolean): ExportChoice {
  const format = EXPORT_FORMATS.find((known) => known === name);
  if (format === undefined) {
    throw new UsageError(`--format is "${name}"; it must be one of ${EXPORT_FORMATS.join(', ')}.`);
  }
  if (format === 'listmonk' && !isActiveOnly) {
    throw new UsageError(
      '--format listmonk needs --active: listmonk would send mail to everybody in the file.',
    );
  }
  return { format, isActiveOnly };
}

export const subscribersExport = command({
  help: `Usage: npm run barometer -- subscribers export [--active] [--format csv|listmonk] [--output FILE]

Prints subscribers as CSV: address, state, choice of alerts, the times of subscription, confirmation and end, and the reason of the end. The addresses are personal data: protect the file.

  --active   only subscribers who get the mail: active and confirmed
  --format   csv (default), or listmonk for its import, which needs --active
  --output   write a new file that only you can read, instead of the standard output`,
  flags: { active: { type: 'boolean' }, format: { type: 'string' }, output: { type: 'string' } },
  async run(context, { active = false, format = 'csv', output }) {
    const choice = readExportChoice(format, active);
    const { leftOut } =
      output === undefined
        ? await exportToOutput(context, choice)
        : await exportToFile(context, resolve(output), choice);
    if (leftOut > 0) {
      context.stderr.write(
        `Left out ${writeCount(leftOut, 'subscriber')}: the address begins with =, +, - or @. Add them in listmonk by hand; --format csv has them.\n`,
      );
    }
    return 0;
  },
});

/** Returns the lines of the report: the counts, then the malformed lines by reason. They contain no address. */
function describeImport(report: ImportReport, apply: boolean): string {
  const { lines, faults } = report;
  const rows: [text: string, count: number][] = [
    [apply ? 'added' : 'would be added', report.added],
    ['already subscribed', report.active],
    ['repeated in the file', report.repeated],
    ['subscription ended here before (never added again)', report.ended],
    ['inactive in the file', report.inactive],
    ['malformed', report.malformed],
  ];
  const width = writeNumber(lines).length;
  const counts = rows.map(([text, count]) => `${writeNumber(count).padStart(width)}  ${text}`);
  const malformed = [...faults].map(([reason, { count, lines: numbers }]) => {
    const more = count > numbers.length ? ` and ${writeCount(count - numbers.length, 'more line')}` : '';
    return `  ${reason}: line ${numbers.join(', ')}${more}`;
  });
  return [`${writeNumber(lines)}  lines`, ...counts, ...malformed].join('\n');
}

export const subscribersImport = command({
  help: `Usage: npm run barometer -- subscribers import FILE.csv [--apply]

Reads subscribers with their date of consent from a CSV file in UTF-8, and prints what it would add. With --apply it adds
them, as confirmed. The first line names the columns: "email", the date of consent (confirmed_at, consent_date, consent_at,
subscribed_at or created_at; the first of these counts) and optionally "status" or "is_active", and "alerts" (true for a
mail when the verdict changes). Reads the exports of listmonk and of "subscribers export".

Sends no mail and changes no stored subscription: an address that unsubscribed, bounced or complained is never added again.
Safe to interrupt: run it again. Exits with 1 if a line is malformed; the other lines are imported.

  --apply   add the subscribers`,
  flags: { apply: { type: 'boolean' } },
  positionals: ['FILE.csv'],
  async run(context, { apply = false }, [file = '']) {
    const path = resolve(file);
    const now = context.now();
    const report = await withProgress(context, ({ report: show, signal }) =>
      withDatabase(context, (database) =>
        importSubscribers(database, () => readSubscriberFile(path, now), {
          apply,
          signal,
          report: (step) => show({ stage: apply ? 'importing' : 'checking', ...step }),
        }),
      ),
    );
    const hint = apply ? '' : '\nNothing was changed. Add --apply to import.';
    context.stdout.write(`${describeImport(report, apply)}${hint}\n`);
    return report.malformed > 0 ? 1 : 0;
  },
});

export const subscribersErase = command({
  help: `Usage: npm run barometer -- subscribers erase ADDRESS

Deletes all data of an address: its subscriptions, the records of its mails, and its mails in the outbox. Mails that were
sent stay in its mailbox. To stop the mails and keep a record of it, use the unsubscribe link instead.
Write "--" before an address that begins with "-".`,
  flags: {},
  positionals: ['ADDRESS'],
  async run(context, _flags, [address = '']) {
    const { environment, stdout } = context;
    if (!address.includes('@')) {
      throw new UsageError('subscribers erase takes an address with an "@"; see "subscribers erase --help".');
    }
    const rows = await withDatabase(context, (database) => eraseSubscriber(database, address));
    const files = await eraseFromOutbox(environment.mail.outboxFolder, address);
    stdout.write(
      rows + files === 0
        ? 'No subscriber has that address.\n'
        : `Erased: ${writeCount(rows, 'subscription')} and ${writeCount(files, 'mail')} in the outbox.\n`,
    );
    return 0;
  },
});
