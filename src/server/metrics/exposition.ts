type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** '_bucket', '_sum' or '_count' for a sample of a histogram. */
  readonly suffix?: string;
}

/** A metric with its samples, one for each set of labels. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** Creates a gauge. If the value is null, the gauge has no sample. */
export function gauge(
  name: string,
  help: string,
  values: readonly (readonly [Labels, number | null])[],
): Family {
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

/** Creates a counter that counts by labels. `of` returns the count of some labels, which can be increased often. */
export function createCounter(name: string, help: string) {
  const counts = new Map<string, { readonly labels: Labels; value: number }>();
  const of = (labels: Labels) => {
    const key = JSON.stringify(labels);
    const count = counts.get(key) ?? { labels, value: 0 };
    counts.set(key, count);
    return count;
  };
  return {
    of,
    add(labels: Labels, by: number): void {
      of(labels).value += by;
    },
    family: (): Family => ({ name, help, type: 'counter', samples: [...counts.values()] }),
  };
}

/** The observations of a histogram with the same labels. */
class Observed {
  readonly labels: Labels;
  readonly #bounds: readonly number[];
  /** Number of values up to each bound. */
  readonly #buckets: Uint32Array;
  #sum = 0;
  #count = 0;

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.#buckets = new Uint32Array(bounds.length);
  }

  observe(value: number): void {
    for (let at = this.#bounds.length - 1; at >= 0 && value <= (this.#bounds[at] as number); at -= 1)
      this.#buckets[at] = (this.#buckets[at] as number) + 1;
    this.#sum += value;
    this.#count += 1;
  }

  samples(): Sample[] {
    if (this.#count === 0) return [];
    const { labels } = this;
    return [
      ...[...this.#buckets, this.#count].map((value, at) => ({
        suffix: '_bucket',
        labels: { ...labels, le: `${this.#bounds[at] ?? '+Inf'}` },
        value,
      })),
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: this.#count },
    ];
  }
}

/** Creates a histogram that counts by labels. `bounds` are ascending upper bounds. */
export function createHistogram(name: string, help: string, bounds: readonly number[]) {
  const observed = new Map<string, Observed>();
  const of = (labels: Labels): Observed => {
    const key = JSON.stringify(labels);
    const own = observed.get(key) ?? new Observed(labels, bounds);
    observed.set(key, own);
    return own;
  };
  return {
    of,
    observe: (labels: Labels, value: number): void => of(labels).observe(value),
    family: (): Family => {
      const samples = [...observed.values()].flatMap((own) => own.samples());
      return { name, help, type: 'histogram', samples };
    },
  };
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
