// Writes docs/settings.md from .env.example. Run it after you edit .env.example: node scripts/settings-table.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(ROOT, 'docs', 'settings.md');

const HEAD = `# Settings

Settings come from the environment, or from a file \`.env\` in the folder in which the command starts. The environment wins. A
wrong value ends the process with exit code 2 and a sentence that names the setting; keys and passwords are never repeated.
An unknown name in \`.env\` gives a warning.

This table is generated from [\`.env.example\`](../.env.example) by \`node scripts/settings-table.mjs\`.
`;

/** The settings of `.env.example` in its order. `defaultText` is null if `value` is the default. */
export function readSettings() {
  const blocks = readFileSync(join(ROOT, '.env.example'), 'utf8').split(/\n{2,}/);
  let section = '';
  return blocks.flatMap((block) => {
    section = /^## (.+)$/m.exec(block)?.[1] ?? section;
    const [, name, value] = /^#([A-Z][A-Z0-9_]+)=(.*)$/m.exec(block) ?? [];
    if (name === undefined || value === undefined) return [];
    const lines = block.split('\n').filter((line) => line.startsWith('# '));
    const isDefault = (line) => line.startsWith('# Default: ');
    const effect = lines.filter((line) => !isDefault(line)).map((line) => line.slice(2));
    const defaultText = lines.find(isDefault)?.slice('# Default: '.length).replace(/\.$/, '') ?? null;
    return [{ section, name, value, effect: effect.join(' '), defaultText }];
  });
}

const cell = (text) => text.replaceAll('|', '\\|');

/** The text of docs/settings.md. */
export function settingsDocument() {
  const settings = readSettings();
  const sections = [...new Set(settings.map(({ section }) => section))];
  const tables = sections.map((section) => {
    const rows = settings
      .filter((setting) => setting.section === section)
      .map(
        ({ name, value, effect, defaultText }) =>
          `| \`${name}\` | ${defaultText === null ? `\`${cell(value)}\`` : cell(defaultText)} | ${cell(effect)} |`,
      );
    return [`## ${section}`, '', '| variable | default | effect |', '|---|---|---|', ...rows].join('\n');
  });
  return `${HEAD}\n${tables.join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(DOCUMENT, settingsDocument());
