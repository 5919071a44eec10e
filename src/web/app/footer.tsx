/** Says that the page is not advice. */
export function Footer({ productName }: { productName: string }) {
  return (
    <footer className="footer quiet small">
      <p>{productName} shows this data for demonstration only. It is not financial advice.</p>
      {/* The place where a browser begins to paint, see index.html; the footer itself would still be empty. */}
      <i id="page-end" hidden />
    </footer>
  );
}
