/**
 * Parts of SQL in which a semicolon does not end the statement: comments, quoted text and names, dollar-quoted text.
 */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^;]/g;

/** The statements of a script one by one, without their semicolons, as the Supabase command line takes a migration apart. */
export function statementsOf(script: string): string[] {
  const statements = [''];
  for (const [part] of script.matchAll(PART)) {
    if (part === ';') statements.push('');
    else statements.push((statements.pop() ?? '') + part);
  }
  const isBlank = (statement: string) => statement.replaceAll(/--[^\n]*/g, '').trim() === '';
  return statements.filter((statement) => !isBlank(statement)).map((statement) => statement.trim());
}
