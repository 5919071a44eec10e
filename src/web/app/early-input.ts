/** Elements pressed or changed while the script was loading, collected by the script at the top of index.html. */
declare global {
  var early: Set<EventTarget> | undefined;
}

/** Elements that do nothing without the script. A button with a popovertarget has worked already. */
const WAITING = 'button:not([popovertarget]), select, a[href^="#"]';

/** The element itself, or its equal if the first rendering replaced it. */
function current(element: HTMLElement): HTMLElement | undefined {
  if (element.isConnected) return element;
  const same = document.querySelectorAll<HTMLElement>(element.tagName);
  return [...same].find((other) => other.outerHTML === element.outerHTML);
}

/** Repeats that input, once for each element: a visitor who sees no reaction presses again. Stops the collection. */
export function repeatEarlyInput(): void {
  const elements = [...(globalThis.early ?? [])].map((target) =>
    (target as Element).closest<HTMLElement>(WAITING),
  );
  globalThis.early = undefined;
  for (const element of new Set(elements)) {
    const now = element === null ? undefined : current(element);
    if (now instanceof HTMLSelectElement) now.dispatchEvent(new Event('change', { bubbles: true }));
    else now?.click();
  }
}
