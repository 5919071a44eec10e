import { describe, expect, it } from 'vitest';
import { withFigures } from './docs.ts';
import { markdownTable, textTable } from './table.ts';

const FIGURES = [
  {
    what: 'sectors',
    value: 38_000,
    unit: '/s',
    peer: { name: 'PostgREST', value: 2_500 },
    bound: { timesPeer: 10 },
  },
  { what: 'p99 | slowest', value: 12.5, unit: 'ms', bound: { atMost: 10 } },
  { what: 'failed', value: 0, unit: '', bound: { exactly: 0 } },
  { what: 'rows', value: Number.NaN, unit: '' },
] as const;

describe('the results table', () => {
  it('shows the ratio to each peer and the result of each bound', () => {
    const [sectors, p99, , rows] = textTable(FIGURES).split('\n');
    expect(sectors).toMatch(
      /^ {2}sectors +38,000 \/s +PostgREST 2,500 \/s \(15\.2 times\) +≥ 10 times: met$/,
    );
    expect(p99).toMatch(/^ {2}p99 \| slowest +12\.5 ms +≤ 10: NOT MET$/);
    expect(rows).toMatch(/^ {2}rows +not measured$/);
  });

  it('replaces the content between its markers in the document', () => {
    const table = markdownTable({
      bench: 'reads',
      takenAt: '2026-11-22T10:00:00.000Z',
      machine: { cores: 2, node: '20.19.5', platform: 'linux x64' },
      figures: FIGURES,
    });
    const document = 'Before.\n<!-- figures -->\nold\n<!-- /figures -->\nAfter.\n';
    expect(withFigures(document, table)).toBe(`Before.
<!-- figures -->

### reads

\`npm run bench -- reads\`, 2026-11-22, 2 cores, Node 20.19.5, linux x64. All other bounds are met.

| what | figure | bound |
|---|---|---|
| sectors | 38,000 /s; PostgREST 2,500 /s (15.2 times) | ≥ 10 times: met |
| p99 \\| slowest | 12.5 ms | ≤ 10: NOT MET |

<!-- /figures -->
After.
`);
  });

  it('refuses a document without both markers', () => {
    expect(withFigures('Before.\n<!-- figures -->\n', 'new')).toBeNull();
    expect(withFigures('<!-- /figures -->\n<!-- figures -->\n', 'new')).toBeNull();
  });
});
