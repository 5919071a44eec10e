const PERCENT = '%';

/** A number with a lighter unit. */
export function WithUnit({ text }: { text: string }) {
  if (!text.endsWith(PERCENT)) return text;
  return (
    <>
      {text.slice(0, -PERCENT.length)}
      <span className="unit">{PERCENT}</span>
    </>
  );
}
