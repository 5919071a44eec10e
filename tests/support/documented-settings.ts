import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';

/** Text of `.env.example`, the one document of the settings. */
export const settingsFile = () => readFileSync(join(ROOT, '.env.example'), 'utf8');

/** The names of all settings. */
export function documentedSettings(): string[] {
  return [...settingsFile().matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
}

/** The settings whose line shows the default, which is so for those without a line "Default:". */
export function documentedDefaults(): { name: string; value: string }[] {
  return settingsFile()
    .split(/\n{2,}/)
    .flatMap((block) => {
      const [, name, value = ''] = /^#([A-Z][A-Z0-9_]+)=(.*)$/m.exec(block) ?? [];
      return name === undefined || /^# Default: /m.test(block) ? [] : [{ name, value }];
    });
}
