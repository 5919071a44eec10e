/**
 * Parts of SQL in which a semicolon does not end the statement: comments, quoted text and names, dollar-quoted text.
 */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^;]/g;

/** Splits a script into statements without semicolons, as the Supabase command line splits a migration. */
export function statementsOf(script: string): string[] {
  const statements = [''];
  for (const [part] of script.matchAll(PART)) {
    if (part === ';') statements.push('');
    else statements.push((statements.pop() ?? '') + part);
  }
  const isBlank = (statement: string) => statement.replaceAll(/--[^\n]*/g, '').trim() === '';
  return statements.filter((statement) => !isBlank(statement)).map((statement) => statement.trim());
}
