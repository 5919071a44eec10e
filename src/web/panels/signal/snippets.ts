/** A text that a visitor can copy from the share menu. */
export interface Snippet {
  /** 'Badge code'. */
  name: string;
  text: string;
}

/** Size of `/embed` in pixels, as its oEmbed response states it. */
const EMBED = { width: 360, height: 240 } as const;

/** The link to the dashboard at this address, and the HTML of its badge and of its card for other sites. */
export function snippetsOf(page: string): Snippet[] {
  const at = (path: string) => new URL(path, page).href.replaceAll('&', '&amp;');
  return [
    { name: 'Link', text: page },
    {
      name: 'Badge code',
      text: `<a href="${at('.')}"><img src="${at('badge.svg')}" alt="Market signal" height="20"></a>`,
    },
    {
      name: 'Embed code',
      text: `<iframe src="${at('embed')}" title="Market signal" width="${EMBED.width}" height="${EMBED.height}" style="border:0" loading="lazy"></iframe>`,
    },
  ];
}
