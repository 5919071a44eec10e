const PERCENT = '%';

/** A written number, its unit lighter than itself. */
export function WithUnit({ text }: { text: string }) {
  if (!text.endsWith(PERCENT)) return text;
  return (
    <>
      {text.slice(0, -PERCENT.length)}
      <span className="unit">{PERCENT}</span>
    </>
  );
}
