import { Refusal, unacceptableBody } from './refusal.ts';

const LIST_TYPES = [
  '*/*',
  'application/json',
  'application/vnd.pgrst.array',
  'application/vnd.pgrst.array+json',
];
const SINGLE_TYPES = ['application/vnd.pgrst.object', 'application/vnd.pgrst.object+json'];

export type AnswerShape = 'list' | 'single';

export const CONTENT_TYPE_OF = {
  list: 'application/json; charset=utf-8',
  single: 'application/vnd.pgrst.object+json; charset=utf-8',
} as const satisfies Record<AnswerShape, string>;

function shapeOf(type: string): AnswerShape | undefined {
  if (LIST_TYPES.includes(type)) return 'list';
  return SINGLE_TYPES.includes(type) ? 'single' : undefined;
}

/** The shape of the answer that an `Accept` header asks for. Throws `Refusal` when it takes none of ours. */
export function readAccept(header: string | undefined): AnswerShape {
  if (header === undefined) return 'list';
  const wanted = header.split(',').map((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    // Other parameters than these change the answer (nulls=stripped), which is not in the dialect.
    const plain = parameters.every((parameter) => /^(q=|charset=)/.test(parameter));
    return {
      type,
      shape: plain ? shapeOf(type) : undefined,
      quality: quality ? Number(quality.slice(2)) : 1,
    };
  });
  const [best] = wanted
    .filter((item) => item.shape !== undefined)
    .sort((one, other) => other.quality - one.quality);
  if (best?.shape !== undefined) return best.shape;
  throw new Refusal({
    status: 415,
    code: 'PGRST107',
    message: `None of these media types are available: ${wanted.map((item) => item.type).join(', ')}`,
  });
}

/** Refuses a body that does not say it is JSON; one that says nothing is read as JSON. */
export function checkContentType(header: string | undefined): void {
  if (header === undefined) return;
  const type = header.split(';', 1)[0]?.trim() ?? '';
  if (type !== 'application/json') throw unacceptableBody(`Content-Type not acceptable: ${type}`);
}
