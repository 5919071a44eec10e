/** What the page is not: advice. */
export function Footer({ productName }: { productName: string }) {
  return (
    <footer id="page-end" className="footer quiet small">
      <p>{productName} shows this data for demonstration only. It is not financial advice.</p>
    </footer>
  );
}
