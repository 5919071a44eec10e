import { SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import type { Table, Tables } from './tables.ts';

/** A column in PostgREST's description: its JSON type, and its Postgres type. */
interface ColumnSchema {
  readonly format: string;
  readonly type: 'integer' | 'number' | 'boolean' | 'string';
}

const JSON_TYPES: Readonly<Record<string, ColumnSchema['type']>> = {
  bigint: 'integer',
  integer: 'integer',
  smallint: 'integer',
  'double precision': 'number',
  numeric: 'number',
  real: 'number',
  boolean: 'boolean',
};

export const columnSchema = (type: string): ColumnSchema => ({
  format: type,
  type: JSON_TYPES[type] ?? 'string',
});

const optional = (place: 'query' | 'header', name: string, description: string) => ({
  name,
  description,
  required: false,
  in: place,
  type: 'string',
});

/** The parameters of every read, with PostgREST's names and descriptions. */
const READ_PARAMETERS = {
  select: optional('query', 'select', 'Filtering Columns'),
  order: optional('query', 'order', 'Ordering'),
  range: optional('header', 'Range', 'Limiting and Pagination'),
  rangeUnit: { ...optional('header', 'Range-Unit', 'Limiting and Pagination'), default: 'items' },
  offset: optional('query', 'offset', 'Limiting and Pagination'),
  limit: optional('query', 'limit', 'Limiting and Pagination'),
  preferCount: { ...optional('header', 'Prefer', 'Preference'), enum: ['count=exact'] },
};
const INSERT_PARAMETERS = {
  preferPost: { ...optional('header', 'Prefer', 'Preference'), enum: ['return=minimal'] },
};

const reference = (name: string) => ({ $ref: `#/parameters/${name}` });
const definitionOf = (name: string) => ({ $ref: `#/definitions/${name}` });
const filterName = (table: Table, column: string) => `rowFilter.${table.name}.${column}`;

const readOperation = (table: Table) => ({
  tags: [table.name],
  parameters: [
    ...[...table.columns.keys()].map((column) => filterName(table, column)),
    ...Object.keys(READ_PARAMETERS),
  ].map(reference),
  responses: {
    200: { description: 'OK', schema: { items: definitionOf(table.name), type: 'array' } },
    206: { description: 'Partial Content' },
  },
});

const insertOperation = ({ name }: Table) => ({
  tags: [name],
  parameters: [`body.${name}`, ...Object.keys(INSERT_PARAMETERS)].map(reference),
  responses: { 201: { description: 'Created' } },
});

/** True for the table into which the public role may insert, which it cannot read. It may only read all others. */
const isInserted = ({ name }: Table) => name === SUBSCRIBERS_TABLE;

const bodyParameter = ({ name }: Table) => ({
  name,
  description: name,
  required: false,
  in: 'body',
  schema: definitionOf(name),
});

const definition = (table: Table) => ({
  ...(table.required.length > 0 && { required: table.required }),
  properties: Object.fromEntries([...table.columns].map(([name, type]) => [name, columnSchema(type)])),
  type: 'object',
});

const MEDIA = ['application/json', 'application/vnd.pgrst.object+json', 'text/csv'];

const described = new WeakMap<Tables, string>();

/**
 * Describes the tables for the root of the API, in the form of PostgREST 12 (OpenAPI 2.0). The description contains
 * only the methods that the public role may use.
 */
export function describeTables(tables: Tables): string {
  const known = described.get(tables);
  if (known !== undefined) return known;
  const description = JSON.stringify(toDescription(tables));
  described.set(tables, description);
  return description;
}

function toDescription(tables: Tables): object {
  const all = [...tables.values()];
  const root = {
    get: {
      tags: ['Introspection'],
      summary: 'OpenAPI description (this document)',
      produces: ['application/openapi+json', 'application/json'],
      responses: { 200: { description: 'OK' } },
    },
  };
  const paths = all.map((table) => [
    `/${table.name}`,
    isInserted(table) ? { post: insertOperation(table) } : { get: readOperation(table) },
  ]);
  const filters = all.flatMap((table) =>
    [...table.columns].map(([name, format]) => [
      filterName(table, name),
      { name, required: false, format, in: 'query', type: 'string' },
    ]),
  );
  return {
    swagger: '2.0',
    info: { description: '', title: 'standard public schema', version: '12.0.2' },
    basePath: '/rest/v1/',
    consumes: ['application/json'],
    produces: MEDIA,
    paths: Object.fromEntries([['/', root], ...paths]),
    definitions: Object.fromEntries(all.map((table) => [table.name, definition(table)])),
    parameters: {
      ...READ_PARAMETERS,
      ...INSERT_PARAMETERS,
      ...Object.fromEntries(
        all.filter(isInserted).map((table) => [`body.${table.name}`, bodyParameter(table)]),
      ),
      ...Object.fromEntries(filters),
    },
  };
}
