import type { DemoView } from '#views/model.ts';

interface FooterProps {
  productName: string;
  /** Null for actual data, undefined before any data arrive. */
  demo: DemoView | null | undefined;
}

/** The footer, with the notice that the page is not financial advice. The data of a real market have no other purpose. */
export function Footer({ productName, demo }: FooterProps) {
  const purpose = demo === null ? 'is' : 'shows this data for demonstration only. It is';
  return (
    <footer className="footer quiet small">
      <p>{`${productName} ${purpose} not financial advice.`}</p>
      {/* The browser waits for this element before its first paint, see index.html. */}
      <i id="page-end" hidden />
    </footer>
  );
}
