/** Postgres suggests nothing that is further off. */
const FURTHEST = 3;

/** Letters to change, add or take away until one text is the other. */
function distanceBetween(one: string, other: string): number {
  const letters = [...other];
  let row = Array.from({ length: letters.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...one].entries()) {
    let left = line + 1;
    const next = [left];
    for (const [at, otherLetter] of letters.entries()) {
      const [diagonal = 0, above = 0] = row.slice(at, at + 2);
      left = Math.min(above + 1, left + 1, diagonal + (letter === otherLetter ? 0 : 1));
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The one or two columns that Postgres thinks were meant by a name that is none of them: the nearest ones, unless more than two
 * are as near, or more than half of the name would have to change. Else none. After updateFuzzyAttrMatchState of its
 * parser/parse_relation.c.
 */
export function similarColumns(columns: Iterable<string>, name: string): string[] {
  const most = Math.floor(Buffer.byteLength(name) / 2);
  let nearest = FURTHEST + 1;
  let found: string[] = [];
  for (const column of columns) {
    if (Math.abs(column.length - name.length) > FURTHEST) continue;
    const distance = distanceBetween(column, name);
    if (distance > most || distance > nearest) continue;
    if (distance < nearest) found = [];
    // A third one drops those before it: what is nearer would have to come.
    found = found.length === 2 ? [] : [...found, column];
    nearest = distance;
  }
  return nearest > FURTHEST ? [] : found;
}
