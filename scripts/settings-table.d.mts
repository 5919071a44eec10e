export interface Setting {
  section: string;
  name: string;
  /** The default if `defaultText` is null, otherwise an example. */
  value: string;
  effect: string;
  defaultText: string | null;
}

export function readSettings(): Setting[];
export function settingsDocument(): string;
