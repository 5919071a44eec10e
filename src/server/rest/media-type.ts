import { REST_LIMITS } from './dialect.ts';
import { Refusal, unacceptableBody } from './refusal.ts';

const LIST_TYPES = [
  '*/*',
  'application/json',
  'application/vnd.pgrst.array',
  'application/vnd.pgrst.array+json',
];
const SINGLE_TYPES = ['application/vnd.pgrst.object', 'application/vnd.pgrst.object+json'];
/** What PostgREST would answer with, and the gate does not: never JSON instead. */
const OTHER_TYPES = ['text/csv', 'application/geo+json'];

export type AnswerShape = 'list' | 'single';

export const CONTENT_TYPE_OF = {
  list: 'application/json; charset=utf-8',
  single: 'application/vnd.pgrst.object+json; charset=utf-8',
} as const satisfies Record<AnswerShape, string>;

/** One type of an `Accept` header, and what it counts for beside the others. */
interface Wanted {
  readonly type: string;
  readonly parameters: readonly string[];
  readonly quality: number;
  readonly precision: number;
}

const QUALITY = /^-?\d+(\.\d+)?(e[-+]?\d+)?/;

// As PostgREST's library has it: spaces are left out, nothing after the quality counts, and of two with the same quality
// the one with more parameters goes before the one with stars.
function readWanted(text: string): Wanted {
  const [range = '', quality] = text.replaceAll(' ', '').split(';q=', 2);
  const [type = '', ...parameters] = range.split(';');
  const stars = type.split('*').length - 1;
  return {
    type: type === '' && text !== '' ? '*/*' : type,
    parameters,
    quality: Number(QUALITY.exec(quality ?? '')?.[0] ?? 1),
    precision: parameters.length - stars,
  };
}

/** Not the one row that was asked for. */
export function notSingle(rows: number): Refusal {
  return new Refusal({
    status: 406,
    code: 'PGRST116',
    message: 'JSON object requested, multiple (or no) rows returned',
    details: `The result contains ${rows} rows`,
    headers: { 'Content-Type': CONTENT_TYPE_OF.single },
  });
}

function shapeOf({ type, parameters }: Wanted): AnswerShape | 'other' | undefined {
  if (OTHER_TYPES.includes(type)) return 'other';
  const shape = LIST_TYPES.includes(type) ? 'list' : SINGLE_TYPES.includes(type) ? 'single' : undefined;
  // Other parameters than these change the answer (nulls=stripped), which is not in the dialect.
  const isPlain = parameters.every((parameter) => parameter.startsWith('charset='));
  return shape === undefined || isPlain ? shape : 'other';
}

/** The shape of the answer that an `Accept` header asks for. Throws `Refusal` when it is none of ours. */
export function readAccept(header: string | undefined): AnswerShape {
  if (header === undefined) return 'list';
  const wanted = header
    .split(',', REST_LIMITS.listItems)
    .map(readWanted)
    .sort((one, other) => other.quality - one.quality || other.precision - one.precision);
  const shape = wanted.map(shapeOf).find((each) => each !== undefined);
  if (shape === 'list' || shape === 'single') return shape;
  throw new Refusal({
    status: 415,
    code: 'PGRST107',
    message: `None of these media types are available: ${wanted.map(({ type }) => type).join(', ')}`,
  });
}

/** Refuses a body that does not say it is JSON; one that says nothing is read as JSON. */
export function checkContentType(header: string | undefined): void {
  if (header === undefined) return;
  const type = header.split(';', 1)[0]?.trim() ?? '';
  if (type !== 'application/json') throw unacceptableBody(`Content-Type not acceptable: ${type}`);
}
