import { type Input, PROVIDER_NAMES, type ProviderName } from './provider.ts';

/** Shown to the public: nothing, not even a computed figure; our scores but not the provider's numbers; all. */
export const RIGHTS = ['none', 'derived', 'value'] as const;
export type Right = (typeof RIGHTS)[number];

export const SUPPLIERS = [...PROVIDER_NAMES, 'csv'] as const;
export type Supplier = ProviderName | 'csv';

/** A decision about one input of one supplier, and its reason in one plain sentence. */
export interface RightDecision {
  readonly right: Right;
  readonly reason: string;
}

/** The decision by the sentence of the terms that it rests on, and the day on which we read them. */
const terms = (right: Right, text: string, read: string): RightDecision => ({
  right,
  reason: `${text} Read ${read}.`,
});

/** The most that a supplier's public terms allow without a licence: a reading of the terms, no legal advice. */
const SHEET: Readonly<Record<Supplier, RightDecision>> = {
  alpaca: terms(
    'derived',
    'Its support pages say "you cannot redistribute Alpaca API data"; they do not forbid figures computed from it.',
    '2026-11-22',
  ),
  yahoo: terms('none', 'Its terms allow personal use, and it has no official interface.', '2026-11-22'),
  cboe: terms(
    'none',
    'Its page "Use of Cboe Content" requires approval in advance and a signed license agreement.',
    '2026-11-24',
  ),
  fred: terms(
    'none',
    'The series belongs to ICE, S&P, Dow Jones or Nasdaq, whose approval it needs.',
    '2026-11-22',
  ),
  treasury: terms(
    'value',
    'Works of the United States government have no copyright (17 U.S.C. 105).',
    '2026-11-24',
  ),
  ofr: terms(
    'none',
    'The index is computed from series of others, and we have not read its terms.',
    '2026-11-24',
  ),
  wsj: terms('none', 'The terms of Dow Jones allow personal use only.', '2026-11-22'),
  csv: terms('none', 'Only the operator knows whose data the files contain.', '2026-11-22'),
};

const FRED_NOTICE =
  'This product uses the FRED API but is not endorsed or certified by the Federal Reserve Bank of St. Louis.';

/** Inputs with other terms than the rest of their supplier. */
const EXCEPTIONS: Readonly<Partial<Record<Supplier, Partial<Record<Input, RightDecision>>>>> = {
  fred: {
    treasury_10y_yield: terms(
      'value',
      `Treasury yields are in the public domain. ${FRED_NOTICE}`,
      '2026-11-22',
    ),
  },
};

export interface Publishing {
  /** Null if the operator has not named an audience: everything is shown. */
  readonly audience: 'public' | 'private' | null;
  /** The operator's licences, which replace the rows of the sheet. */
  readonly licences: ReadonlyMap<Supplier, Right>;
  /** Number of sessions after which a session is published. */
  readonly delay: 0 | 1;
}

export const EVERYTHING: Publishing = { audience: null, licences: new Map(), delay: 0 };

const isSupplier = (name: string): name is Supplier => SUPPLIERS.some((supplier) => supplier === name);

/** The right by the operator's licence or the rights sheet, for a public audience. An unknown supplier has none. */
export function publicRight(
  { licences }: Pick<Publishing, 'licences'>,
  supplier: string,
  input: Input,
): RightDecision {
  if (!isSupplier(supplier)) return { right: 'none', reason: `No terms of ${supplier} are known.` };
  const licence = licences.get(supplier);
  if (licence !== undefined) return { right: licence, reason: 'The operator states this right (LICENSES).' };
  return EXCEPTIONS[supplier]?.[input] ?? SHEET[supplier];
}

/** The lowest right of all suppliers of an input: any may have a stored value. All for an audience not public. */
export function decideRight(publishing: Publishing, suppliers: Iterable<string>, input: Input): Right {
  if (publishing.audience !== 'public') return 'value';
  const ranks = Array.from(suppliers, (supplier) =>
    RIGHTS.indexOf(publicRight(publishing, supplier, input).right),
  );
  return RIGHTS[Math.min(RIGHTS.length - 1, ...ranks)] ?? 'none';
}

export interface SheetRow extends RightDecision {
  readonly supplier: Supplier;
  readonly inputs: readonly Input[];
}

/** The rights of the given suppliers' inputs, for people: one row per supplier and right. */
export function sheetOf(
  publishing: Pick<Publishing, 'licences'>,
  supplied: readonly { readonly supplier: Supplier; readonly inputs: readonly Input[] }[],
): SheetRow[] {
  return supplied.flatMap(({ supplier, inputs }) => {
    const rows = new Map<string, SheetRow>();
    for (const input of inputs) {
      const decision = publicRight(publishing, supplier, input);
      const { inputs: others = [] } = rows.get(decision.reason) ?? {};
      rows.set(decision.reason, { ...decision, supplier, inputs: [...others, input] });
    }
    return [...rows.values()];
  });
}

/** The publishing settings as one text, by which processes compare them. */
export const nameOfPublishing = ({ audience, licences, delay }: Publishing): string => {
  const named = [...licences].map(([supplier, right]) => `${supplier}:${right}`).sort();
  // Licences have an effect for a public audience only.
  return [audience ?? 'all', ...(audience === 'public' ? named : []), `T+${delay}`].join(' ');
};
