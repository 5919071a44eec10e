/** Label names are ours, values may be anything. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
}

/** One metric with all its label sets. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** A gauge; a value of null has no sample. */
export function gauge(
  name: string,
  help: string,
  values: readonly (readonly [Labels, number | null])[],
): Family {
  const samples = values.flatMap(([labels, value]) => (value === null ? [] : [{ labels, value }]));
  return { name, help, type: 'gauge', samples };
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/**
 * Metrics in Prometheus' text form, https://prometheus.io/docs/instrumenting/exposition_formats/. `help` is one
 * line of ours.
 */
export function exposition(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value, suffix = '' }) => `${name}${suffix}${labelled(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
