import type { Condition, Ordering, RowRange } from './dialect.ts';
import { readOperation } from './filter.ts';
import { readName } from './names.ts';
import { readOrder } from './order.ts';
import { firstValue, type QueryParameters, readParameters, valuesOf } from './query-string.ts';
import { unparsable } from './refusal.ts';
import { readColumns, readSelect } from './select.ts';

/** What an address asks for, whichever table it names. */
export interface Address {
  readonly parameters: QueryParameters;
  readonly ordering: readonly Ordering[];
  /** Names, where a star stands for all; null when nothing is said. */
  readonly selected: readonly string[] | null;
  readonly conditions: readonly Condition[];
  /** The columns that an insert is to be read for; null for all that it has. */
  readonly columns: readonly string[] | null;
}

/** What a request asks for of its table. */
export interface Asked extends Address {
  readonly range: RowRange;
}

const NOT_FILTERS = ['select', 'order', 'limit', 'offset', 'columns', 'on_conflict'];
const LOGIC = /^(not\.)?(and|or)$/;

function readCondition(name: string, text: string): Condition {
  if (LOGIC.test(name)) throw unparsable('logic tree', text, 0, 'filters on columns only');
  const { name: column, end } = readName('tree path', name, 0);
  return { column: end < name.length ? name : column, ...readOperation(text) };
}

/**
 * Reads the query of an address, in PostgREST's order, so that of several faults the same one is told. Throws `Refusal`;
 * whether a table has what is named is not looked at.
 */
export function readAddress(query: string): Address {
  const parameters = readParameters(query);
  const [ordering = []] = valuesOf(parameters, 'order').map(readOrder);
  const asked = firstValue(parameters, 'columns');
  const columns = asked === undefined ? null : readColumns('columns', asked);
  const selected = readSelect(firstValue(parameters, 'select') ?? '');
  const conditions = parameters.flatMap(([name, value]) =>
    value === null || NOT_FILTERS.includes(name) ? [] : [readCondition(name, value)],
  );
  // Nothing here merges rows, so that it is read and heeded no further.
  const conflict = firstValue(parameters, 'on_conflict');
  if (conflict !== undefined) readColumns('on_conflict', conflict);
  return { parameters, ordering, selected, conditions, columns };
}
