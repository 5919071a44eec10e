import { builtIn } from './app/built-in.ts';
import { readConfiguration } from './app/configuration.ts';
import { pageMarkup } from './page-markup.tsx';

/** The page while it loads, as the build puts it into the page that other hosts serve. */
export function shellMarkup(): string {
  return pageMarkup(readConfiguration(null, builtIn, 'http://any.invalid/'), null);
}
