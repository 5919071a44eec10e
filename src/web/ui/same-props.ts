/**
 * True if two sets of props are deeply equal, for `memo`. A refresh reads everything again, and a panel whose model
 * came out equal must not render again. Props are plain data or the same object.
 */
export function sameProps<Props extends object>(before: Props, after: Props): boolean {
  const keys = Object.keys(after) as (keyof Props)[];
  return keys.every(
    (key) => Object.is(before[key], after[key]) || JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}
