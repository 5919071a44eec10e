import { FEAR_GREED_INDEX_COLUMNS, type FearGreedRow, parseFearGreed } from '#schema/fear-greed-index.ts';
import { readAll } from './read-all.ts';
import type { SendRead } from './read-rows.ts';
import { PAGE_ROWS, type TableRead } from './table-reads.ts';

/** All stored Fear & Greed rows with their components, oldest first. */
export const FEAR_GREED_HISTORY: TableRead = {
  table: 'fear_greed_index',
  columns: FEAR_GREED_INDEX_COLUMNS,
  order: ['created_at.asc'],
  limit: PAGE_ROWS,
};

/** Reads the whole history of the index. The page in a browser does not read it. Throws QueryError. */
export const readHistory = (send: SendRead): Promise<FearGreedRow[]> =>
  readAll(send, FEAR_GREED_HISTORY, parseFearGreed);
