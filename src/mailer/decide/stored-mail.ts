import { FEAR_GREED_BANDS } from '#domain/bands/fear-greed.ts';
import { VERDICTS } from '#domain/bands/verdict.ts';
import { SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import type { FearGreedReading, Figure, SignalRow, WeeklySignalView } from '#views/model.ts';
import { fields, listOf, Misfit, number, oneOf, orNull, type Reader, text } from './readers.ts';

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

/** What the mail of a week says, as the ledger keeps it. Throws, in one plain sentence, where it cannot be read. */
export function parseStoredMail(value: unknown, week: string): WeeklySignalView {
  try {
    return mail(value, '');
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    const where = error.path === '' ? '' : ` at ${error.path}`;
    throw new Error(
      `The signal of the week of ${week} cannot be read from mailer.issued_signals${where}: another version of the program, or another hand, wrote it.`,
      { cause: error },
    );
  }
}
