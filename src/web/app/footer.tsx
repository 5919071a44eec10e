/** The footer, with the notice that the page is not financial advice. */
export function Footer({ productName }: { productName: string }) {
  return (
    <footer className="footer quiet small">
      <p>{`${productName} shows this data for demonstration only. It is not financial advice.`}</p>
      {/* The browser waits for this element before its first paint, see index.html. */}
      <i id="page-end" hidden />
    </footer>
  );
}
