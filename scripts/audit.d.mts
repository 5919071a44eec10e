export interface Audit {
  readonly is: 'passed' | 'found' | 'unanswered';
  readonly lines: readonly string[];
}
export function readAudit(output: string): Audit;
export function audit(): Promise<Audit>;
