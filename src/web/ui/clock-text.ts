/** The remaining time in whole seconds as minutes:seconds; never below 0:00. */
export function countdownText(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/**
 * An age in words, in its largest full unit: 'less than a minute', '7 minutes', '2 hours', '3 days'. Days are rounded, so that the
 * age of a close agrees with its date: a close of Wednesday is two days old on Friday morning.
 */
export function ageText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return plural(minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? plural(hours, 'hour') : plural(Math.round(hours / 24), 'day');
}

/** A short age: 'just now', '7 min ago', '2 hours ago', '3 days ago'. */
export function agoText(milliseconds: number): string {
  if (milliseconds < 60_000) return 'just now';
  return `${ageText(milliseconds).replace(/minutes?/, 'min')} ago`;
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/* Formats a time in the visitor's time zone and the page's language. Avoids Intl.DateTimeFormat, because
   creating the first one takes longer than all other work at the start of the page. */

function writeDay(instant: number): string {
  const [weekday, month, day] = new Date(instant).toDateString().split(' ');
  return `${weekday} ${Number(day)} ${month}`;
}

export const timeOfDay = (instant: number) => new Date(instant).toTimeString().slice(0, 5);

/** 'Fri 20 Nov at 14:05'. */
export function dayAndTime(instant: number): string {
  return `${writeDay(instant)} at ${timeOfDay(instant)}`;
}

/** '14:05' of today, else 'Fri 20 Nov at 14:05'. */
export function whenText(instant: number, now: number): string {
  return writeDay(instant) === writeDay(now) ? timeOfDay(instant) : dayAndTime(instant);
}

/** 'Fri 20 Nov 2026 14:05 UTC', for a page without the visitor's clock. */
export function utcText(instant: number): string {
  return new Date(instant)
    .toUTCString()
    .replace(',', '')
    .replace(/:\d\d GMT$/, ' UTC');
}
