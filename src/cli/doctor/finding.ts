import type { Transaction } from '#database/port.ts';
import type { Environment } from '../settings/environment.ts';

/** The result of a check: a state and one plain sentence. */
export interface Finding {
  state: 'fine' | 'note' | 'wrong';
  text: string;
}

export const fine = (text: string): Finding => ({ state: 'fine', text });
export const note = (text: string): Finding => ({ state: 'note', text });
export const wrong = (text: string): Finding => ({ state: 'wrong', text });

/** Returns the findings among the arguments, for checks with conditions. */
export const findings = (...all: readonly (Finding | false | null)[]): Finding[] =>
  all.filter((finding) => finding !== false && finding !== null);

export interface Subject {
  environment: Environment;
  /** Epoch ms. */
  now: number;
  timeoutMs: number;
}

/** A check of settings and of the services that they name. Returns no finding if there is nothing to check. */
export type Check = (subject: Subject) => Finding[] | Promise<Finding[]>;

export type DatabaseCheck = (transaction: Transaction, subject: Subject) => Promise<Finding[]>;
