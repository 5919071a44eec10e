import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { RelaxNGValidator, XmlDocument } from 'libxml2-wasm';

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Throws unless an Atom document is valid by the RELAX NG schema of RFC 4287. */
export function checkAtom(xml: string): void {
  const schema = XmlDocument.fromString(read('atom.rng'));
  const validator = RelaxNGValidator.fromDoc(schema);
  const document = XmlDocument.fromString(xml);
  try {
    validator.validate(document);
  } finally {
    for (const used of [document, validator, schema]) used.dispose();
  }
}

const JSON_FEED: Schema = JSON.parse(read('json-feed.json'));

/** The violations of a JSON schema (draft 2020-12) by a value; empty if it is valid. */
export const violations = (schema: Schema, value: unknown): string[] =>
  new Validator(schema, '2020-12', false)
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);

/** The violations of JSON Feed 1.1 by a value. */
export const jsonFeedViolations = (value: unknown): string[] => violations(JSON_FEED, value);
