/** Texts that make some patterns backtrack when repeated. */
export const PIECES: readonly string[] = [
  ...['(', ')', '+', ' ', '-', '"', "'", ',', '\\', '.', '0', '9', '%', '@', '=', '&', ';', ':', '/', '*'],
  ...['a', 'A', '<', '[', '{', '_', '?', '#', '!', '|', '\t', '\n', '\r\n', '\0', '\u200b', '\u0301'],
  ...['\u00e9', '\u4e2d', '\ud83d', '\udca3', '\u{1f4a3}', 'a@', 'a@a.', 'a.', '.a', '""', '"a', '"a",'],
  ...['a,', '\\"', '\\\\', '\\a', '\\u', '\\ud800', '%2', '%ff', '%22', '%28', '%5C', '(0', '0(', '-(', '( '],
  ...['1.', '.1', '1e', '0x', '1,', '127.', '://', 'a://', 'a:', '::1,', '127.0.0.1,', '[::1],', '10.0.0.1,'],
  ...['::ffff:7f00:1,', 'not.', '(or', 'a(', '*,', 'q=0.', ';q=0.', 'a/b;q=0.1,', 'W/"a",', 'br;q=0.0,'],
  ...['count=', 'count=exact,', 'x-a,', '&a=', 'a=b;', '&apikey=', 'Bearer ', 'confirm/', 'assets/'],
  ...['-aaaaaaaa.', '<script', '<!--', '::', '2026-11-22', '00:00'],
];
/** A pattern that matches a run from its first character backtracks at an end that it rejects. */
const AROUND = [
  ['', ''],
  ['', '!'],
  ['', ' a'],
  ['0', '~'],
  ['"', '~'],
  ['a@', '~'],
] as const;

/** Texts of `length` characters that superlinear patterns take longest to match. */
export function* adversarialTexts(length: number): Generator<string> {
  for (const piece of PIECES) {
    const run = piece.repeat(Math.ceil(length / piece.length));
    for (const [begin, end] of AROUND) yield begin + run.slice(0, length - begin.length - end.length) + end;
  }
}
