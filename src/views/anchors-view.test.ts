import { expect, it } from 'vitest';
import type { AnchorState } from '#schema/record-rows.ts';
import { anchorsView } from './anchors-view.ts';

const SENT: AnchorState = {
  ...{ kind: 'timestamp', status: 'sent', attempts: 1, reply: null },
  ...{ authority: 'tsa.example', anchoredAt: Date.parse('2026-11-21T14:05:00Z') },
};

it.each<[Partial<AnchorState>, string]>([
  [{}, 'Timestamp, tsa.example: Sat 21 Nov 2026, 09:05 New York time'],
  [
    { status: 'pending', attempts: 2 },
    'Timestamp, tsa.example: Sat 21 Nov 2026, 09:05 New York time. It was not reached yet with the newest checkpoint.',
  ],
  [
    { kind: 'witness', status: 'pending', attempts: 0, authority: null, anchoredAt: null },
    'Witness: none yet. The newest checkpoint is on its way.',
  ],
  [
    { kind: 'git', status: 'expired', authority: null, anchoredAt: null },
    'Git repository: none yet. The newest checkpoint did not reach it.',
  ],
])('describes a place with %o', (state, text) => {
  expect(anchorsView({ checkpoints: [], places: [{ ...SENT, ...state }] }).places).toEqual([text]);
});

it('prints each checkpoint with the signatures of witnesses', () => {
  const of = (lines: string | null) => ({
    week: '2026-11-16',
    checkpoint: 'name\n1\n\n— name AA==\n',
    lines,
  });
  const view = anchorsView({ checkpoints: [of('— w BB==\n'), of(null)], places: [] });
  const note = 'name\n1\n\n— name AA==\n';
  const title = 'After the decision of 2026-W47';
  expect(view.checkpoints).toEqual([
    { title, note: `${note}— w BB==\n` },
    { title, note },
  ]);
});
