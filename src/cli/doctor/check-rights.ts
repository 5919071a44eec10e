import type { SourcePublishing } from '#collector/history/source.ts';
import { decideRight } from '#collector/providers/rights.ts';
import { keptInputs } from '#domain/signal/kept-inputs.ts';
import { reasonOf } from '#server/log.ts';
import { DELAY_TEXT, type RightsView, rightsView } from '#views/rights-view.ts';
import type { Environment } from '../settings/environment.ts';
import { chooseSource } from '../source-choice.ts';
import { type Check, type Finding, fine, note, wrong } from './finding.ts';

/** True if only this machine can reach the host. */
export const isLoopback = (host: string): boolean => ['127.0.0.1', '::1', 'localhost'].includes(host);

/** The rights sheet of a source for `/method` and the reports; null if it has neither a right nor a delay to name. */
export function rightsOf({ settings, suppliersOf, sheet }: SourcePublishing): RightsView | null {
  const isPublic = settings.audience === 'public' && sheet.length > 0;
  const isDelayed = settings.delay > 0;
  if (!isPublic && !isDelayed) return null;
  const uses = (input: Parameters<typeof suppliersOf>[0]) => suppliersOf(input).length > 0;
  const shows = (input: Parameters<typeof suppliersOf>[0]) =>
    uses(input) && decideRight(settings, suppliersOf(input), input) === 'value';
  return rightsView(isPublic ? sheet : [], {
    kept: isPublic ? keptInputs({ uses, shows }) : null,
    isDelayed,
  });
}

const lines = ({ rows }: RightsView) =>
  rows.map(({ name, supplier, rightText, reason }) => `${supplier}, ${name}: ${rightText}. ${reason}`);

/** Returns the findings about the right to show the data: the rights sheet, or the data that the terms do not allow. */
export function examineRights(environment: Environment, publishing: SourcePublishing): Finding[] {
  const { audience } = publishing.settings;
  const delayed = publishing.settings.delay > 0 ? [fine(`PUBLISH_DELAY is T+1. ${DELAY_TEXT}`)] : [];
  if (audience === 'private') return [fine('AUDIENCE is private: visitors need PAGE_PASSWORD.'), ...delayed];
  if (audience === 'public') {
    const view = rightsOf(publishing);
    if (view === null) return [fine('AUDIENCE is public, and the data is invented.'), ...delayed];
    const [kept = ''] = view.notices;
    const hasVerdict = !kept.endsWith('there is none.');
    return [
      fine(`AUDIENCE is public. ${lines(view).join(' ')}`),
      hasVerdict ? fine(kept) : note(kept),
      ...delayed,
    ];
  }
  const isOpen = environment.publicUrl !== null || !isLoopback(environment.host);
  const forbidden = publishing.sheet.filter(({ right }) => right !== 'value');
  if (!isOpen || forbidden.length === 0) return delayed;
  return [
    ...lines(rightsView(forbidden, { kept: null, isDelayed: false })).map((line) =>
      note(`The page is public, and the terms do not allow all that it shows. ${line}`),
    ),
    note(
      'Set AUDIENCE=private to ask visitors for a password, or AUDIENCE=public, with your licences in LICENSES, to show only what is allowed.',
    ),
    ...delayed,
  ];
}

export const checkRights: Check = ({ environment }) => {
  try {
    const { publishing } = chooseSource(environment, {});
    return publishing === undefined ? [] : examineRights(environment, publishing);
  } catch (error) {
    return [wrong(reasonOf(error))];
  }
};
