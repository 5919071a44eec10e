import { ThemeIcon } from './icons.tsx';
import { chooseTheme, type ThemeChoice, useThemeChoice } from './theme.ts';

const CHOICES: readonly { choice: ThemeChoice; text: string }[] = [
  { choice: 'system', text: 'System' },
  { choice: 'light', text: 'Light' },
  { choice: 'dark', text: 'Dark' },
];

/**
 * Selects light, dark or the system's theme. An invisible native select covers the icon and provides name, state and
 * keys.
 */
export function ThemeSwitch() {
  const chosen = useThemeChoice();
  return (
    <span className="button button-icon theme-switch">
      <ThemeIcon />
      <select
        aria-label="Colour theme"
        title="Colour theme"
        value={chosen}
        onChange={({ target }) =>
          chooseTheme(CHOICES.find(({ choice }) => choice === target.value)?.choice ?? 'system')
        }
      >
        {CHOICES.map(({ choice, text }) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
