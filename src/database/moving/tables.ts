/** A table that moves house with its rows. */
export interface MovedTable {
  /** With its schema. */
  readonly name: string;
  /** Its primary key, which puts the rows into one order everywhere. */
  readonly key: readonly string[];
  /** Whether each house has a row of its own there before anything is in it, in whose place the moved one comes. */
  readonly hasOwnRow?: boolean;
  /** Triggers that would make more of a row than what it is: it was checked, and its mails are rows of their own. */
  readonly stilled?: readonly string[];
}

const byId = (name: string): MovedTable => ({ name, key: ['id'] });

/**
 * All that has to survive, a table before those that refer to it. What stays behind is of one house alone: leases, the
 * version of the data, how many subscribed within this hour, and which migrations were applied.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'mailer.settings', key: ['only_one'], hasOwnRow: true },
  { name: 'operations.public_key', key: ['only_one'], hasOwnRow: true },
  byId('public.market_indices'),
  byId('public.market_metrics'),
  byId('public.fear_greed_index'),
  byId('public.sector_strength'),
  byId('public.advanced_indicators'),
  byId('public.market_sentiment'),
  byId('public.market_breadth'),
  byId('public.input_origins'),
  byId('collector.symbols'),
  { name: 'collector.bars', key: ['symbol_id', 'session'] },
  { name: 'collector.series', key: ['name', 'session'] },
  { name: 'collector.holding', key: ['only_one'] },
  byId('collector.runs'),
  byId('collector.corrections'),
  { name: 'operations.job_runs', key: ['job', 'period'] },
  { ...byId('public.email_subscribers'), stilled: ['subscriber_1_normalised', 'subscriber_4_asked'] },
  byId('mailer.issued_signals'),
  byId('mailer.deliveries'),
];
