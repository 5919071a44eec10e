import { useSyncExternalStore } from 'react';

export type Theme = 'dark' | 'light';
/** The visitor's choice: a fixed theme, or the system's. */
export type ThemeChoice = Theme | 'system';

/** Storage key of the choice; the script at the top of index.html reads it before the first paint. */
const KEPT_AS = 'barometer-theme';

const isTheme = (value: unknown): value is Theme => value === 'dark' || value === 'light';

/** The choice that a text names, such as the root's data-theme; the system's theme for any other value. */
export function choiceOf(value: unknown): ThemeChoice {
  return isTheme(value) ? value : 'system';
}

/** The choice at this moment, in a browser. */
export const currentChoice = () =>
  choiceOf(document.body.dataset.theme ?? document.documentElement.dataset.theme);

/** Calls `action` after the next paint. */
export const afterPaint = (action: () => void) => requestAnimationFrame(() => setTimeout(action));

/**
 * Applies a choice: at once to the page and its header, after a paint to the sections in the window, and after another
 * to the rest. The browser computes every element's style again, which takes a slow phone a tenth of a second.
 */
function apply(choice: ThemeChoice): void {
  const { body, documentElement } = document;
  const sections = [...document.querySelectorAll('section')];
  const inWindow = sections.filter((section) => {
    const { top, bottom } = section.getBoundingClientRect();
    return top <= innerHeight && bottom >= 0;
  });
  for (const section of sections) section.dataset.theme = currentChoice();
  body.dataset.theme = choice;
  const follow = (parts: HTMLElement[]) => {
    for (const part of parts) delete part.dataset.theme;
  };
  const finish = () => {
    // Another choice may have been made in the meantime.
    documentElement.dataset.theme = currentChoice();
    follow([body, ...sections]);
  };
  afterPaint(() => {
    follow(inWindow);
    afterPaint(finish);
  });
}

/** Applies a choice and stores it if the browser permits. */
export function chooseTheme(choice: ThemeChoice): void {
  apply(choice);
  try {
    if (choice === 'system') localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, choice);
  } catch {
    // Storage is disabled: the choice lasts until the visitor leaves the page.
  }
}

/**
 * Calls `changed` when a choice reaches the body, or later the root, which is last. Returns a function that stops this.
 */
export function observeChoice(changed: () => void, element: HTMLElement): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(element, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

/** Calls `changed` after each choice, and applies those of other tabs. Returns a function that stops both. */
function subscribe(changed: () => void): () => void {
  const stop = observeChoice(changed, document.body);
  const otherTab = ({ key, newValue }: StorageEvent) => key === KEPT_AS && apply(choiceOf(newValue));
  addEventListener('storage', otherTab);
  return () => {
    stop();
    removeEventListener('storage', otherTab);
  };
}

/** The visitor's choice; 'system' while rendering on a server. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, currentChoice, () => 'system');
}
