import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import tokensCss from '../styles/tokens.css?raw';
import documentCss from './document.css?raw';

/** A page of its own beside the dashboard, rendered by the server, without a script. */
export interface DocumentProps {
  /** Heading of the page, and its title in the browser. */
  title: string;
  productName: string;
  /** Relative address of the dashboard: './' from /record, '../' from /record/2026-W47. */
  home: string;
  /** True if search engines must not list it. */
  noindex?: boolean;
  /** Further elements of the head. */
  head?: ReactNode;
  children: ReactNode;
}

const COMMENT = /\/\*[\s\S]*?\*\//g;

/** The one stylesheet of a document, which stands in its head. The response's policy has to allow its hash. */
export const DOCUMENT_STYLE = (tokensCss + documentCss).replace(COMMENT, '').replace(/\s+/g, ' ').trim();

/** The documents that every document links to, by path from the dashboard. */
const LINKS = [
  ['', 'Dashboard'],
  ['record', 'Record'],
  ['quality', 'Data quality'],
] as const;

function Head({ title, productName, home, noindex = false, head }: Omit<DocumentProps, 'children'>) {
  return (
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {noindex && <meta name="robots" content="noindex" />}
      <title>{`${title} – ${productName}`}</title>
      <link rel="icon" href={`${home}favicon.ico`} sizes="32x32" />
      <link rel="icon" type="image/svg+xml" href={`${home}icon.svg`} />
      {head}
    </>
  );
}

function Body({ title, productName, home, children }: DocumentProps) {
  return (
    <>
      <header>
        <a className="product" href={home}>
          {productName}
        </a>
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
      <footer>
        <nav aria-label="Pages">
          {LINKS.map(([path, name]) => (
            <a key={path} href={home + path}>
              {name}
            </a>
          ))}
        </nav>
        <p>{productName} shows this data for demonstration only. It is not financial advice.</p>
      </footer>
    </>
  );
}

/** The HTML of a document. */
export function documentHtml(props: DocumentProps): string {
  const head = renderToStaticMarkup(<Head {...props} />);
  const body = renderToStaticMarkup(<Body {...props} />);
  // React would escape the quotes of a style sheet.
  return `<!doctype html><html lang="en"><head>${head}<style>${DOCUMENT_STYLE}</style></head><body>${body}</body></html>\n`;
}
