import type { EmbedCard } from '#views/outputs/cards.ts';
import tokensCss from '../styles/tokens.css?raw';
import { type DocumentPlace, htmlOf } from './document-page.tsx';
import embedCss from './embed.css?inline';
import { VerdictScale } from './verdict-scale.tsx';

function usedTokens(css: string): string {
  const used = new Set([...css.matchAll(/var\(--([\w-]+)/g)].map(([, name]) => name));
  const root = /:root\s*\{([^}]*)\}/.exec(tokensCss)?.[1] ?? '';
  const declarations = [...root.matchAll(/--([\w-]+)\s*:\s*[^;]+;/g)].filter(([, name]) => used.has(name));
  return `:root{${declarations.map(([declaration]) => declaration).join('')}}`;
}

/** The only style sheet of the card. The response's content security policy has to allow its hash. */
export const EMBED_STYLE = usedTokens(embedCss) + embedCss;

/** The HTML of `/embed`: no script, and no other file. Its links open in a tab of their own. */
export function embedHtml(card: EmbedCard, { productName, home }: DocumentPlace): string {
  return htmlOf(
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>{`${card.demoText === null ? '' : 'Demo: '}${productName}: ${card.signalText}`}</title>
    </>,
    EMBED_STYLE,
    <main data-tone={card.tone ?? undefined}>
      <header>
        <h1>
          <a href={home} target="_blank" rel="noopener">
            {productName}
          </a>
        </h1>
        {card.demoText !== null && <span className="demo">{card.demoText}</span>}
      </header>
      <p>
        <strong>{card.signalText}</strong> <span className="quiet unit">{card.unitText}</span>
      </p>
      {card.scale !== null && <VerdictScale {...card.scale} />}
      {card.fearGreedText !== null && <p>{card.fearGreedText}</p>}
      <p className="quiet">{card.ageText}</p>
      <p className="quiet">
        <small>Describes the market, does not forecast it. Not financial advice.</small>
      </p>
    </main>,
  );
}
