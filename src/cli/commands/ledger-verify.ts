import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Anchor,
  lateDecisions,
  parseAnchors,
  type VerifiedAnchor,
  verifyAnchor,
} from '#record/ledger/anchors.ts';
import { parseVerifierKey, type VerifierKey } from '#record/ledger/checkpoint.ts';
import { download, siteOf, withRetries } from '#record/ledger/download.ts';
import { countRebuilt, type Entry, LedgerError, weeksWithoutDecision } from '#record/ledger/entries.ts';
import { isRepository, nameOfRepository, readCheckpoints } from '#record/ledger/git-repository.ts';
import { verifySite } from '#record/ledger/verify-site.ts';
import { command } from '../command.ts';
import { mailText } from '../saved-mail.ts';
import { certificates } from '../settings/setting-parsers.ts';
import { UsageError } from '../settings/usage-error.ts';
import { writeInstant } from '../terminal/signal-report.ts';
import { nameSome, writeCount } from '../terminal/wording.ts';

/** Maximum length of a file that is searched for a checkpoint (bytes). A mail has a few KB. */
const LONGEST_FILE = 1 << 20;

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length <= LONGEST_FILE) return await mailText(bytes);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new LedgerError(`${path} cannot be read (${code}). Name a file with a checkpoint.`, {
      cause: error,
    });
  }
  throw new LedgerError(`${path} is larger than 1 MB. Name a file with a checkpoint, such as a weekly mail.`);
}

const retryingFetch = withRetries(fetch, wait);

function toWitnessKey(text: string): VerifierKey {
  const key = parseVerifierKey(text, 'witness');
  if (key === null) throw new UsageError("--witness must be the witness's key as name+id+base64.");
  return key;
}

/** Reads the anchors that the site serves, those in the saved file, and the checkpoints in the git repository. */
async function collectAnchors(
  site: string,
  { file, git }: { file: string | undefined; git: string | undefined },
): Promise<Anchor[]> {
  const served = parseAnchors(String(await download(`${site}/ledger/anchors.json`, retryingFetch)));
  const saved = file === undefined ? [] : parseAnchors(await readText(file));
  const published = git === undefined ? [] : await readCheckpoints(git);
  const authority = nameOfRepository(git ?? '');
  return [
    ...[...served, ...saved],
    ...published.map((checkpoint): Anchor => ({ kind: 'git', authority, checkpoint, proof: '' })),
  ];
}

/** Returns one line per place, and the decisions that no trusted authority has seen at their time. */
function describeAnchors(anchors: readonly VerifiedAnchor[], entries: readonly Entry[]): string {
  const nameOf = ({ kind, authority }: VerifiedAnchor) => `${kind}, ${authority}`;
  const lines = [...new Set(anchors.map(nameOf))].map((name) => {
    const group = anchors.filter((anchor) => nameOf(anchor) === name);
    const size = Math.max(...group.map((anchor) => anchor.size));
    const times = group.flatMap(({ at }) => (at === null ? [] : [at]));
    const signed =
      times.length === 0
        ? 'without a verified time'
        : `signed from ${writeInstant(Math.min(...times))} to ${writeInstant(Math.max(...times))}`;
    return `  ${name}: ${writeCount(group.length, 'checkpoint')} of up to ${size} entries, ${signed}\n`;
  });
  if (lines.length === 0) return 'No external anchor keeps its checkpoints.\n';
  const late = anchors.some(({ at }) => at !== null) ? lateDecisions(entries, anchors) : [];
  const unsigned = `Decisions without a signed time within two days: ${nameSome(late)}. They may have been written later.\n`;
  return `It contains every anchored checkpoint, unchanged:\n${lines.join('')}${late.length === 0 ? '' : unsigned}`;
}

function describeGaps(entries: readonly Entry[]): string {
  const missing = weeksWithoutDecision(entries);
  const weeks =
    missing.length === 0
      ? 'Every week has its decision.'
      : `${writeCount(missing.length, 'week')} without a decision: ${nameSome(missing)}.`;
  const rebuilt = countRebuilt(entries);
  return rebuilt === 0
    ? weeks
    : `${weeks} ${writeCount(rebuilt, 'row')} computed later from stored data; nobody could see them at their time.`;
}

export const ledgerVerify = command({
  help: `Usage: npm run barometer -- ledger verify URL [flags]

Downloads the ledger of the site at URL and verifies its signature, each entry and each file. Then compares with it what
visitors read: each row of the public tables, /signals.csv, the feeds, and the published rows of each past day. The ledger of a site
that was changed, shortened or begun anew does not match a checkpoint from before.

  --checkpoint FILE   a file with an older checkpoint, such as a saved weekly mail, or the lines at its end
  --anchors FILE      a copy of /ledger/anchors.json that you saved earlier
  --git REPOSITORY    the git repository of the site's checkpoints, or your clone of it (an absolute path)
  --tsa-ca FILE       the certificates of the timestamp authority that you trust, as PEM
  --witness KEY       the key of the witness that you trust
  --days COUNT        compare only the published rows of the newest COUNT sessions, which is faster`,
  flags: {
    ...{ checkpoint: { type: 'string' }, days: { type: 'string' } },
    ...{ anchors: { type: 'string' }, git: { type: 'string' } },
    ...{ 'tsa-ca': { type: 'string' }, witness: { type: 'string' } },
  },
  positionals: ['URL'],
  async run({ stdout, now }, flags, [url = '']) {
    const site = siteOf(url);
    if (site === null)
      throw new UsageError(`"${url}" is no web address: give one such as https://example.com.`);
    const { checkpoint, days: count, anchors: file, git, 'tsa-ca': ca, witness } = flags;
    const older = checkpoint === undefined ? undefined : await readText(checkpoint);
    if (count !== undefined && !/^[1-9]\d{0,6}$/.test(count))
      throw new UsageError(`--days must be a whole number above zero, not "${count}".`);
    if (git !== undefined && !isRepository(git))
      throw new UsageError('--git must be the URL or the absolute path of a git repository.');
    const trust = {
      certificates: ca === undefined ? null : certificates(ca, '--tsa-ca'),
      witness: witness === undefined ? null : toWitnessKey(witness),
    };
    const newestDays = count === undefined ? undefined : Number(count);
    // Comes first, because the ledger may grow meanwhile.
    const anchors = await collectAnchors(site, { file, git });
    const verified = await verifySite({ site, older, newestDays, fetch: retryingFetch, now: now() });
    const anchored = anchors.map((anchor) => verifyAnchor(anchor, verified, trust));
    const { origin, size, entries, olderSize, rows, days, daysLeft } = verified;
    const countOf = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
    const outlooks = entries.filter(({ kind, fields }) => kind === 'risk' && fields.part === 'outlook');
    const parts = [
      writeCount(countOf('signal'), 'decision'),
      writeCount(countOf('grade'), 'grade'),
      writeCount(countOf('publication'), 'publication'),
      writeCount(countOf('event'), 'quality event'),
      writeCount(countOf('change'), 'verdict change'),
      writeCount(outlooks.length, 'risk outlook'),
      writeCount(countOf('risk') - outlooks.length, 'outcome'),
    ];
    const left = daysLeft === 0 ? '' : ` Not compared: ${writeCount(daysLeft, 'older publication')}.`;
    stdout.write(
      `The ledger is complete and unchanged: ${parts.join(', ')}; ${size} entries of ${origin}.\n` +
        `The site shows what the ledger recorded: ${writeCount(rows, 'table row')}, /signals.csv, the feeds and the rows of ${writeCount(days, 'publication')}.${left}\n` +
        `${describeGaps(entries)}\n`,
    );
    stdout.write(
      olderSize === null
        ? 'To verify its past too, pass the checkpoint of an older weekly mail with --checkpoint FILE.\n'
        : `It contains all ${olderSize} entries of the older checkpoint, unchanged.\n`,
    );
    stdout.write(describeAnchors(anchored, entries));
    return 0;
  },
});
