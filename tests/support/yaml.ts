import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The documents of a YAML file. Python reads it: see `hasYaml`. */
export function readYamlDocuments<Content>(path: string): Content[] {
  const parse = 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)';
  const run = spawnSync('python3', ['-c', parse], { input: readFileSync(path), encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Content[];
}

/** The content of a YAML file with one document. */
export const readYaml = <Content>(path: string): Content => readYamlDocuments<Content>(path)[0] as Content;
