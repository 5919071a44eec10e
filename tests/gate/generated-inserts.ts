import type { Dice } from '#tests/support/dice.ts';
import { encoded, type Generated, headersOf } from './generated-requests.ts';

/** JSON in unusual spellings: numbers with extra zeros, repeated keys, white space. */
type Written = string;

const SPACES = ['', '', '', ' ', '\n', '\t', '\r\n '];

function writtenText(dice: Dice, text: string): Written {
  const whole = JSON.stringify(text);
  if (dice.chance(0.9)) return whole;
  return whole.replaceAll(/[a-z@]/g, (character) =>
    dice.chance(0.3) ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character,
  );
}

function writtenObject(dice: Dice, fields: readonly (readonly [string, Written])[]): Written {
  const space = () => dice.pick(SPACES);
  const members = fields.map(([name, value]) => `${space()}"${name}"${space()}:${space()}${value}${space()}`);
  return `{${members.join(',')}}`;
}

const TRUTHS: readonly Written[] = [
  'true',
  'true',
  'true',
  'true',
  '"true"',
  '"t"',
  '"YES"',
  '" on "',
  '1',
  '"1"',
];
const ODD_TRUTHS: readonly Written[] = [
  'false',
  'null',
  '0',
  '1.0',
  '1e0',
  '-0',
  '10',
  '""',
  '"maybe"',
  '"tr"',
  '[]',
  '[true]',
  '{}',
  '{"a": 1}',
  '"false"',
];
const ODD_ADDRESSES: readonly string[] = [
  '',
  ' ',
  'nobody',
  '@example.org',
  'a@b',
  'a@b.',
  'a@@b.co',
  'a b@c.co',
  'a@b.co\n',
  'a\u0007@b.co',
  'a,b@c.co',
  '"a b"@c.co',
  'Name <a@b.co>',
  'a@b.co\r\nBcc: all@b.co',
  'zero\u200bwidth@b.co',
  'a@b.co;c@d.co',
  `${'x'.repeat(330)}@b.co`,
  'a\u2028@b.co',
  "a'); drop table email_subscribers; --@b.co",
  '$1@b.co',
  'a\\@b.co',
  'ünï@cödé.example',
  '日本@例え.jp',
  '😀@b.co',
  'A\u0130@b.co',
  '\u00a0a@b.co',
];
const ODD_VALUES: readonly Written[] = [
  'null',
  '1',
  '1.50',
  '-0',
  '1e400',
  'true',
  '[]',
  '["a@b.co"]',
  '{}',
  '{"a": "b@c.co"}',
  '"a\\u0000@b.co"',
];

/** Bodies that are not rows. */
const ODD_BODIES: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  ...['', ' ', '{', '}', '[', '[null]', '[1]', '[[]]', '[[{}]]', '{} {}', 'nonsense', '"', '{"email"}'],
  ...["{'email':'a@b.co'}", '{email:"a@b.co"}', '{"email":"a@b.co",}', '[{"email":"a@b.co"},]', '{"email":}'],
  ...['{"email":NaN}', '{"email":01}', '{"email":.5}', '{"email":+1}', '{"email":"tab\there@b.co"}'],
  ...['{"email":"a@b.co"}//', '{"email":"\\x41@b.co"}', '{"email":"a@b.co"', '\u00a0{"email":"a@b.co"}'],
  ...['{"":1}', '{"email ":"a@b.co"}', '{"__proto__":1}', '{"constructor":1,"email":"a@b.co"}'],
  ...['{"email":"a@b.co","EMAIL":"c@d.co"}', '[{"email":"a@b.co"}{"email":"c@d.co"}]'],
  Buffer.from([0x7b, 0x22, 0x65, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
  Buffer.from('\0'),
];

const INSERT_HEADERS = {
  'Content-Type': [
    [30, 'application/json'],
    [3, 'application/json; charset=utf-8'],
    [1, null],
  ],
  Prefer: [
    [20, 'return=minimal'],
    [5, null],
    [1, 'count=exact'],
    [1, 'return=minimal,count=exact'],
    [1, 'foo=1'],
  ],
  'Content-Profile': [
    [15, null],
    [1, 'public'],
  ],
  Accept: [
    [15, null],
    [1, '*/*'],
  ],
  Origin: [
    [10, null],
    [1, 'https://site.example'],
  ],
} as const;

/** Number of client networks. It is small, so that some clients exceed their hourly limit of subscriptions. */
const NETWORKS = 12;

/** State of the inserts so far: the addresses that may exist already. */
export interface Earlier {
  addresses: string[];
}

function addressFor(dice: Dice, { addresses }: Earlier): string {
  const known = addresses.length > 0 && dice.chance(0.15) ? dice.pick(addresses) : null;
  if (known !== null) return dice.pick([known, known.toUpperCase(), ` ${known} `]);
  if (dice.chance(0.12)) return dice.pick(ODD_ADDRESSES);
  const address = `visitor${addresses.length}${dice.pick(['', '+weekly', '.name', '_', "'s", '&co'])}@${dice.pick(['example.org', 'b.co', 'xn--nxasmq6b.example'])}`;
  addresses.push(address);
  return address;
}

function fieldsOf(dice: Dice, earlier: Earlier, shape: readonly string[]): (readonly [string, Written])[] {
  return shape.map((name) => {
    if (name === 'is_active') return [name, dice.chance(0.88) ? dice.pick(TRUTHS) : dice.pick(ODD_TRUTHS)];
    if (name !== 'email') return [name, dice.pick(['1', 'null', '"x"', '{"y": [1.0]}'])];
    return [name, dice.chance(0.95) ? writtenText(dice, addressFor(dice, earlier)) : dice.pick(ODD_VALUES)];
  });
}

const SHAPES: readonly (readonly [number, readonly string[]])[] = [
  [10, ['email', 'is_active']],
  [4, ['is_active', 'email']],
  [4, ['email']],
  [0.5, ['is_active']],
  [0.5, ['email', 'email']],
  [0.5, ['email', 'is_active', 'id']],
  [0.3, ['email', 'created_at']],
  [0.3, ['email', 'reference']],
  [0.3, ['email', 'confirmed_at']],
  [0.5, ['email', 'absent']],
];

function bodyOf(dice: Dice, earlier: Earlier): string | Uint8Array<ArrayBuffer> {
  if (dice.chance(0.12)) return dice.pick(ODD_BODIES);
  const shape = dice.weigh(SHAPES);
  const count = dice.weigh([
    [8, 1],
    [3, 2],
    [1, 5],
    [0.4, 21],
  ]);
  const rows = Array.from({ length: count }, () => {
    const own = dice.chance(0.05) ? dice.weigh(SHAPES) : shape;
    return writtenObject(dice, fieldsOf(dice, earlier, own));
  });
  const list = `[${rows.join(',')}]`;
  const text = count === 1 && dice.chance(0.7) ? (rows[0] ?? '') : list;
  return dice.chance(0.1) ? ` \n${text}\t ` : text;
}

const COLUMNS = [
  'email',
  'email,is_active',
  '"email","is_active"',
  'is_active,email',
  'email,absent',
  'email,id',
];

/** An insert of subscribers, possibly an invalid one. At most 4,096 bytes, the limit of the gate. */
export function generateInsert(dice: Dice, earlier: Earlier): Generated {
  const table = dice.weigh([
    [40, 'email_subscribers'],
    [1, 'market_indices'],
  ]);
  const headers = headersOf(dice, INSERT_HEADERS);
  headers['X-Forwarded-For'] = `203.0.113.${dice.below(NETWORKS)}`;
  const body = bodyOf(dice, earlier);
  // PostgREST passes an invalid body to the database if the request names its columns.
  const isNamed = !ODD_BODIES.includes(body) && dice.chance(0.2);
  const columns = isNamed ? `?columns=${encoded(dice, dice.pick(COLUMNS))}` : '';
  const exchange = { method: 'POST', path: `/${table}${columns}`, headers, body };
  return { exchange, of: ['POST', `table:${table}`] };
}
