import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import DOCUMENT_STYLE from './document.css?inline';

export interface DocumentPlace {
  productName: string;
  /** Relative address of the dashboard: './' from /record, '../' from /record/2026-W47. */
  home: string;
}

/** Applies the theme that the visitor has chosen, before the first paint. The content security policy has to allow its hash. */
export const THEME_SCRIPT =
  "try{const t=localStorage.getItem('barometer-theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}";

/** A page of its own beside the dashboard, rendered by the server. It is complete without a script. */
export interface DocumentProps extends DocumentPlace {
  title: string;
  noindex?: boolean;
  /** The page that the header marks as the current one, or as the one above it. */
  current?: 'record' | 'on' | 'quality' | 'method' | 'risk';
  /** The style sheet; `DOCUMENT_STYLE` by default. The response's content security policy has to allow its hash. */
  style?: string;
  /** The image that other sites show beside a link; null if the public address is not known. */
  image?: ShareImage | null;
  /** A script that the browser loads after the page, by path from the dashboard. The content security policy has to allow it. */
  script?: string;
  children: ReactNode;
}

export interface ShareImage {
  readonly title: string;
  readonly description: string;
  readonly address: string;
}

/** The pages that every document links to, by path from the dashboard. */
const PAGES = [
  ['', 'Dashboard'],
  ['record', 'Record'],
  ['on', 'Past days'],
  ['quality', 'Data quality'],
  ['method', 'Method'],
  ['risk', 'Risk'],
] as const;

const FEEDS = [
  ['feed.atom', 'Weekly signal'],
  ['grades.atom', 'Grades of the weekly signal'],
] as const;

const OUTPUTS = [
  ['feed.atom', 'Feed'],
  ['grades.atom', 'Grades'],
  ['openapi.json', 'API'],
] as const;

function Head({ title, productName, home, noindex = false, image = null, script }: DocumentProps) {
  return (
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: a constant, which React would escape */}
      <script dangerouslySetInnerHTML={{ __html: THEME_SCRIPT }} />
      {noindex && <meta name="robots" content="noindex" />}
      <title>{`${title} – ${productName}`}</title>
      <link rel="icon" href={`${home}favicon.ico`} sizes="32x32" />
      <link rel="icon" type="image/svg+xml" href={`${home}icon.svg`} />
      {FEEDS.map(([path, name]) => (
        <link key={path} rel="alternate" type="application/atom+xml" title={name} href={home + path} />
      ))}
      {script !== undefined && <script type="module" src={home + script} />}
      {image !== null && (
        <>
          <meta property="og:title" content={image.title} />
          <meta property="og:description" content={image.description} />
          <meta property="og:image" content={image.address} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
    </>
  );
}

function Body({ title, productName, home, current, children }: DocumentProps) {
  const ofCurrent = home === './' ? 'page' : true;
  return (
    <>
      <header>
        <a className="product" href={home}>
          {productName}
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([path, name]) => (
            <a key={path} href={home + path} aria-current={path === current ? ofCurrent : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <h1>{title}</h1>
        {children}
      </main>
      <footer>
        <nav aria-label="Outputs">
          {OUTPUTS.map(([path, name]) => (
            <a key={path} href={home + path}>
              {name}
            </a>
          ))}
        </nav>
        <p>{productName} is not financial advice.</p>
      </footer>
    </>
  );
}

export function htmlOf(head: ReactNode, style: string, body: ReactNode): string {
  // React would escape the quotes of a style sheet.
  // A line that began with '500' would read as a number.
  const markup = renderToStaticMarkup(body).replaceAll('S&amp;P 500', 'S&amp;P\u00a0500');
  return `<!doctype html><html lang="en"><head>${renderToStaticMarkup(head)}<style>${style}</style></head><body>${markup}</body></html>\n`;
}

export const documentHtml = (props: DocumentProps) =>
  htmlOf(<Head {...props} />, props.style ?? DOCUMENT_STYLE, <Body {...props} />);

interface MissingPage {
  title: string;
  sentence: string;
  form?: ReactNode;
  /** The link: its address from the dashboard, and its words. */
  path?: string;
  link?: string;
}

/** The HTML for an address that no page has: a sentence, a form and a link in a card. */
export function missingHtml(place: DocumentPlace, missing: MissingPage): string {
  const { title, sentence, form, path = '', link = 'Open the dashboard' } = missing;
  const children = (
    <section className="card">
      <p>{sentence}</p>
      {form}
      <p>
        <a href={place.home + path}>{link}</a>
      </p>
    </section>
  );
  return documentHtml({ ...place, title, noindex: true, children });
}

export const Notices = ({ notices }: { notices: readonly string[] }) =>
  notices.map((notice) => (
    <p key={notice} className="note">
      {notice}
    </p>
  ));

export const noPageHtml = (title: string, place: DocumentPlace) =>
  missingHtml(place, { title, sentence: 'The address may be incomplete or misspelled.' });
