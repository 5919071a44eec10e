import { auditLedger } from '#record/ledger/audit-ledger.ts';
import { damagedRecords } from '#record/quality.ts';
import { type DatabaseCheck, fine, wrong } from './finding.ts';

/** Maximum number of damaged records whose names a finding lists. It only counts the others. */
const MOST_NAMED = 5;

/** Checks that the history of published rows matches the hashes that were stored with it. */
export const checkRecord: DatabaseCheck = async (transaction) => {
  const damaged = await damagedRecords(transaction, null);
  if (damaged.length === 0) return [fine('The history of published rows matches its hashes.')];
  const named = damaged.slice(0, MOST_NAMED).join(', ');
  const more = damaged.length > MOST_NAMED ? ` and ${damaged.length - MOST_NAMED} more` : '';
  return [
    wrong(
      `The content of ${named}${more} was changed after it was written. Compare the database with a backup.`,
    ),
  ];
};

/** Checks that each row of the record has its entry in the ledger, unchanged, and that each entry has its place and its row. */
export const checkLedger: DatabaseCheck = async (transaction, { now }) => {
  const { faults, size } = await auditLedger(transaction, now);
  if (faults.length === 0) return [fine(`The record matches its ledger (${size} entries).`)];
  const more = faults.length - MOST_NAMED;
  return [
    ...faults.slice(0, MOST_NAMED).map(wrong),
    ...(more > 0 ? [wrong(`The record differs from its ledger in ${more} more places.`)] : []),
  ];
};
