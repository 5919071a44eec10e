import tokensCss from '#web/styles/tokens.css?raw';

export type Scheme = 'light' | 'dark';

const PROPERTY = /--([\w-]+)\s*:\s*([^;]+);/g;
const VALUE = String.raw`((?:[^(),]|\([^()]*\))+)`;
const LIGHT_DARK = new RegExp(String.raw`^light-dark\(${VALUE},${VALUE}\)$`);

function inScheme(value: string, scheme: Scheme): string {
  const [, light, dark] = LIGHT_DARK.exec(value) ?? [];
  return ((scheme === 'light' ? light : dark) ?? value).trim();
}

/** Returns the custom properties of the first `:root` rule in one colour scheme. Throws if there are none. */
export function tokensOf(css: string, scheme: Scheme): Readonly<Record<string, string>> {
  const root = /:root\s*\{([^}]*)\}/.exec(css.replace(/\/\*[\s\S]*?\*\//g, ''))?.[1] ?? '';
  const tokens = [...root.matchAll(PROPERTY)].map(([, name = '', value = '']) => [
    name,
    inScheme(value.trim(), scheme),
  ]);
  if (tokens.length === 0)
    throw new Error('The stylesheet has no custom property in :root. Add the colour tokens there.');
  return Object.fromEntries(tokens);
}

const DARK = tokensOf(tokensCss, 'dark');

/** Returns a colour of the page's dark theme by the name of its custom property. Throws for an unknown name. */
export function colour(name: string): string {
  const value = DARK[name];
  if (value === undefined)
    throw new Error(`The page has no colour named ${name}. Add it to styles/tokens.css.`);
  return value;
}
