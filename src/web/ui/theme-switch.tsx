import { Icon } from './icons.tsx';
import { choiceOf, chooseTheme, type ThemeChoice, useThemeChoice } from './theme.ts';

const CHOICES: readonly [ThemeChoice, text: string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** An invisible native select over the icon, which provides name, state and keys. */
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
