import { ThemeIcon } from './icons.tsx';
import { chooseTheme, type ThemeChoice, useThemeChoice } from './theme.ts';

const CHOICES: readonly { choice: ThemeChoice; text: string }[] = [
  { choice: 'system', text: 'System' },
  { choice: 'light', text: 'Light' },
  { choice: 'dark', text: 'Dark' },
];

/** Light, dark or the system's. The browser's own list lies unseen over the icon: name, state and keys are its own. */
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
