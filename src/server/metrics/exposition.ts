export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** '_bucket', '_sum' or '_count' for a sample of a histogram. */
  readonly suffix?: string;
}

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** Creates a gauge with a value, or with a value for each set of labels. A value that is null has no sample. */
export function gauge(
  name: string,
  help: string,
  given: number | null | readonly (readonly [Labels, number | null])[],
): Family {
  const values = Array.isArray(given) ? given : [[{}, given] as const];
  const samples = values.flatMap(([labels, value]) => (value === null ? [] : [{ labels, value }]));
  return { name, help, type: 'gauge', samples };
}

/** Creates a counter with one label. `counts` has the count of each value of the label. */
export function counter(
  name: string,
  help: string,
  label: string,
  counts: Readonly<Record<string, number>>,
): Family {
  const samples = Object.entries(counts).map(([of, value]) => ({ labels: { [label]: of }, value }));
  return { name, help, type: 'counter', samples };
}

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Writes metrics in Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/. */
export function exposition(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
