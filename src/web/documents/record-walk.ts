// Lets the pointer and the keys move through the weeks of the record's charts. The texts are those of the table below the
// chart. The browser loads this file after the page; without it, chart and table are complete.

const DAY = 86_400_000;

/** Weeks from the epoch to a week such as '2026-W47', up to a constant. */
function weekNumber(name: string): number {
  const [year = 0, week = 0] = name.split('-W').map(Number);
  const fourth = Date.UTC(year, 0, 4);
  const monday = fourth / DAY - ((new Date(fourth).getUTCDay() + 6) % 7);
  return monday / 7 + week;
}

interface Week {
  readonly at: number;
  readonly text: string;
  readonly link: HTMLAnchorElement;
}

/** '2026-W47 Sat 21 Nov: HOLD 48.5. S&P 500 after 1 week −0.31, 4 weeks pending, 13 weeks pending'. */
function textOf(row: HTMLTableRowElement, names: readonly string[]): string {
  const [week, signal, ...changes] = [...row.cells].map((cell) => cell.textContent.trim());
  const after = changes.map((change, at) => `${names[at + 2]} ${change}`).join(', ');
  return `${week}: ${signal}. S&P 500 after ${after}`;
}

function weeksOf(tables: readonly HTMLTableElement[], first: string): Week[] {
  const names = [...(tables[0]?.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent);
  return tables
    .flatMap((table) => [...table.rows])
    .flatMap((row) => {
      const link = row.querySelector('a');
      if (link === null) return [];
      return [{ at: weekNumber(link.textContent) - weekNumber(first), text: textOf(row, names), link }];
    })
    .reverse();
}

/** Page Up and Page Down move by a quarter of a year. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -13,
  PageUp: 13,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

function walk(figure: HTMLElement, readout: Element): void {
  const tables = figure.closest('section')?.querySelectorAll<HTMLTableElement>('.weeks') ?? [];
  const span = Number(figure.dataset.weeks);
  const weeks = weeksOf([...tables], figure.dataset.first ?? '');
  const last = weeks.length - 1;
  const unchosen = readout.textContent;
  let chosen = last;

  const slider = document.createElement('div');
  const cursor = document.createElement('div');
  slider.append(cursor);
  slider.className = 'walk';
  slider.tabIndex = 0;
  const attributes = { role: 'slider', 'aria-label': 'Week', 'aria-valuemin': 0, 'aria-valuemax': last };
  for (const [name, value] of Object.entries(attributes)) slider.setAttribute(name, String(value));

  function choose(index: number): void {
    chosen = Math.min(last, Math.max(0, index));
    const week = weeks[chosen];
    if (week === undefined) return;
    slider.setAttribute('aria-valuenow', String(chosen));
    slider.setAttribute('aria-valuetext', week.text);
  }

  function show(index: number): void {
    choose(index);
    const week = weeks[chosen];
    if (week === undefined) return;
    const link = document.createElement('a');
    link.href = week.link.href;
    link.textContent = week.link.textContent;
    readout.replaceChildren(link, week.text.slice(link.textContent.length));
    cursor.style.left = `${(100 * (week.at + 0.5)) / span}%`;
    cursor.hidden = false;
  }

  function hide(): void {
    cursor.hidden = true;
    readout.textContent = unchosen;
  }

  function open(): void {
    const link = weeks[chosen]?.link;
    const year = link?.closest('details');
    if (year != null) year.open = true;
    link?.scrollIntoView({ block: 'center' });
    link?.focus({ preventScroll: true });
  }

  slider.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = slider.getBoundingClientRect();
    const at = ((clientX - left) / width) * span;
    const next = weeks.findIndex((week) => week.at + 1 > at);
    show(next < 0 ? last : next);
  });
  slider.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && hide());
  // A tap shows the week with its link. A click also goes to its row.
  slider.addEventListener('click', (event) => (event as PointerEvent).pointerType !== 'touch' && open());
  slider.addEventListener('focus', () => slider.matches(':focus-visible') && show(chosen));
  slider.addEventListener('blur', hide);
  slider.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    if (step !== undefined) show(chosen + step);
    else if (event.key === 'Enter') open();
    else if (event.key === 'Escape') hide();
    else return;
    event.preventDefault();
  });
  choose(last);
  cursor.hidden = true;
  figure.querySelector('.plots')?.append(slider);
}

for (const figure of document.querySelectorAll<HTMLElement>('.record-chart')) {
  const readout = figure.querySelector('.readout');
  if (readout !== null) walk(figure, readout);
}
