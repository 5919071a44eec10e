import { useSyncExternalStore } from 'react';
import { currentChoice, SYSTEM_IS_DARK, subscribe, type Theme } from '../../ui/theme.ts';

/** The theme in use, chosen by the visitor or the system; 'dark' while rendering on a server. */
export function useTheme(): Theme {
  return useSyncExternalStore<Theme>(
    subscribe,
    () => {
      const choice = currentChoice();
      if (choice !== 'system') return choice;
      return matchMedia(SYSTEM_IS_DARK).matches ? 'dark' : 'light';
    },
    () => 'dark',
  );
}
