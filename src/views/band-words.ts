import { capitalised, UNKNOWN, writeNumber } from './number.ts';

/** Text of a metric's information button and of `/method`. Its formula is in docs/methodology.md. */
export interface Explanation {
  readonly name: string;
  /** Two to five sentences: the meaning, then the computation and its inputs. */
  readonly text: string;
  readonly bands?: string | undefined;
}

interface Worded {
  readonly label: string;
}

function writeEdge(edge: number): string {
  const [, fraction = ''] = String(edge).split('.');
  return Number.isFinite(edge) ? writeNumber(edge, fraction.length) : UNKNOWN;
}

function sentence(clauses: readonly string[]): string {
  return `${capitalised(clauses.join(', '))}.`;
}

/** For bands that run from high to low: 'Under 15 Low Volatility, under 25 Moderate, else High Volatility.' */
export function describeBandsUpward(bands: readonly (Worded & { readonly from: number })[]): string {
  const clauses = bands.map(({ label }, index) => {
    const above = bands[index - 1];
    return above === undefined ? `else ${label}` : `under ${writeEdge(above.from)} ${label}`;
  });
  return sentence(clauses.reverse());
}

/** For bands whose edges belong to the band below: 'Over 60 Strong, over 40 Moderate, else Weak.' */
export function bandsOver(bands: readonly (Worded & { readonly above: number })[]): string {
  const clauses = bands.map(({ label, above }) =>
    Number.isFinite(above) ? `over ${writeEdge(above)} ${label}` : `else ${label}`,
  );
  return sentence(clauses);
}
