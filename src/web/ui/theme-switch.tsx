import { Icon } from './icons.tsx';
import { choiceOf, chooseTheme, type ThemeChoice, useThemeChoice } from './theme.ts';

const CHOICES: readonly [ThemeChoice, text: string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/**
 * Selects light, dark or the system's theme. An invisible native select covers the icon and provides name, state and
 * keys.
 */
export function ThemeSwitch() {
  const chosen = useThemeChoice();
  return (
    <span className="button button-icon theme-switch">
      <Icon name="theme" />
      <select
        aria-label="Colour theme"
        title="Colour theme"
        value={chosen}
        onChange={({ target }) => chooseTheme(choiceOf(target.value))}
      >
        {CHOICES.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
