import { builtIn } from './app/built-in.ts';
import { readConfiguration } from './app/configuration.ts';
import { pageMarkup } from './page-markup.tsx';

/** The markup of the loading page, which the build puts into the page for other hosts. */
export function shellMarkup(): string {
  return pageMarkup(readConfiguration(null, builtIn), null);
}
