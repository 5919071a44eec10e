export type Scheme = 'light' | 'dark';

const PROPERTY = /--([\w-]+)\s*:\s*([^;]+);/g;
const VALUE = String.raw`((?:[^(),]|\([^()]*\))+)`;
const LIGHT_DARK = new RegExp(String.raw`^light-dark\(${VALUE},${VALUE}\)$`);

function inScheme(value: string, scheme: Scheme): string {
  const [, light, dark] = LIGHT_DARK.exec(value) ?? [];
  return ((scheme === 'light' ? light : dark) ?? value).trim();
}

/**
 * The custom properties of a stylesheet's first `:root` by name, without their dashes, each as it is in one
 * scheme. Throws when there are none.
 */
export function tokensOf(css: string, scheme: Scheme): Readonly<Record<string, string>> {
  const root = /:root\s*\{([^}]*)\}/.exec(css.replace(/\/\*[\s\S]*?\*\//g, ''))?.[1] ?? '';
  const tokens = [...root.matchAll(PROPERTY)].map(([, name = '', value = '']) => [
    name,
    inScheme(value.trim(), scheme),
  ]);
  if (tokens.length === 0) throw new Error('The stylesheet has no custom property in :root.');
  return Object.fromEntries(tokens);
}
