import { FEAR_GREED_BANDS } from '#domain/bands/fear-greed-band.ts';
import { VERDICTS } from '#domain/bands/verdict.ts';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import type { FearGreedReading, Figure, SignalRow, WeeklySignalView } from '#views/model.ts';

/** Reads an untrusted value, or throws an error whose message is the `path` of the part that does not fit. */
type Reader<T> = (value: unknown, path: string) => T;

const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw new Error(path);
  return value;
};

const number: Reader<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(path);
  return value;
};

function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, path) => {
    const word = words.find((one) => one === value);
    if (word === undefined) throw new Error(path);
    return word;
  };
}

function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Error(path);
    return value.map((one, at) => read(one, `${path}[${at}]`));
  };
}

/** An object with a reader for each field; other fields are left out. */
function fields<T extends object>(readers: { readonly [Key in keyof T]-?: Reader<T[Key]> }): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(path);
    const stored = new Map(Object.entries(value));
    const read = Object.entries<Reader<unknown>>(readers).map(([key, reader]) => [
      key,
      reader(stored.get(key), path === '' ? key : `${path}.${key}`),
    ]);
    return Object.fromEntries(read) as T;
  };
}

type Stored<Key extends keyof WeeklySignalView> = NonNullable<WeeklySignalView[Key]>;

const verdict = oneOf(VERDICTS.map((one) => one.verdict));
const input = oneOf(SIGNAL_INPUTS);
const tone = oneOf(['positive', 'neutral', 'negative']);
const figure = fields<Figure>({ value: orNull(number), text });

const READING = {
  value: number,
  text,
  label: oneOf(FEAR_GREED_BANDS.map(({ label }) => label)),
  zone: oneOf(FEAR_GREED_BANDS.map(({ zone }) => zone)),
};

const signalRow = fields<SignalRow>({
  input,
  name: text,
  weightText: text,
  score: figure,
  points: figure,
  note: orNull(text),
});

const sinceLastWeek = fields<Stored<'sinceLastWeek'>>({
  title: text,
  session: text,
  dateText: text,
  change: figure,
  tone,
  verdict,
  parts: orNull(
    listOf(
      fields<NonNullable<Stored<'sinceLastWeek'>['parts']>[number]>({ input, name: text, change: figure }),
    ),
  ),
  text,
});

const mail: Reader<WeeklySignalView> = fields<WeeklySignalView>({
  subject: text,
  verdict,
  score: figure,
  range: orNull(fields<Stored<'range'>>({ low: number, high: number, text })),
  asOf: fields<Stored<'asOf'>>({ session: text, instant: number, text }),
  inputsText: text,
  sessionsText: orNull(text),
  headline: text,
  zones: listOf(fields<Stored<'zones'>[number]>({ verdict, from: number, to: number })),
  rows: listOf(signalRow),
  next: orNull(fields<Stored<'next'>>({ verdict, distance: figure, title: text, text })),
  sinceLastWeek: orNull(sinceLastWeek),
  fearGreed: orNull(
    fields<Stored<'fearGreed'>>({
      current: fields<FearGreedReading>(READING),
      lastWeek: orNull(fields<FearGreedReading & { dateText: string }>({ ...READING, dateText: text })),
    }),
  ),
  sp500: orNull(fields<Stored<'sp500'>>({ name: text, price: figure })),
  demo: orNull(fields<Stored<'demo'>>({ kind: oneOf(['simulated', 'replay']), text, title: text })),
  disclaimer: text,
});

/** The content of a week's mail as stored in the ledger. Throws, in one plain sentence, if it cannot be read. */
export function parseStoredMail(value: unknown, week: string): WeeklySignalView {
  try {
    return mail(value, '');
  } catch (error) {
    const { message: path } = error as Error;
    const where = path === '' ? '' : ` at ${path}`;
    throw new Error(
      `The signal of the week of ${week} cannot be read from mailer.issued_signals${where}: another version of the program, or another hand, wrote it.`,
      { cause: error },
    );
  }
}
