import type { RecordedOutlook } from '#domain/risk/recorded.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { isDemonstration, type MarketSource } from '#schema/market-source.ts';
import type { DashboardView } from '../dashboard-view.ts';
import { behindText } from '../page-texts.ts';
import { DESCRIBES } from '../signal-view.ts';
import { demoOf } from '../sources-view.ts';

/** The current risk outlook; null without one. */
export type CurrentRisk = RecordedOutlook | null;

/** The newest data at one time, as far as the outputs for programs and other sites show them. */
export interface CurrentData {
  readonly view: DashboardView;
  /** Null without data. */
  readonly source: MarketSource | null;
  /** Null without data. */
  readonly sessionsBehind: number | null;
  readonly risk?: CurrentRisk;
}

const isoOf = (instant: number | undefined) =>
  instant === undefined ? null : new Date(instant).toISOString();

/** Age and origin of the data, as every output states them. */
export function dataState({ view: { age }, source, sessionsBehind }: CurrentData) {
  return {
    as_of: isoOf(age?.asOf.instant),
    sessions_behind: sessionsBehind,
    // The instant from which `sessions_behind` is one more, with which a stored copy stays true.
    next_due: isoOf(age?.overdueAt[(sessionsBehind ?? 0) - age.sessionsBehind]),
    source,
    formula_version: SIGNAL_FORMULA,
  };
}
export type DataState = ReturnType<typeof dataState>;

/** True if the data are a demonstration. */
export const isDemo = ({ source }: Pick<CurrentData, 'source'>): boolean =>
  source !== null && isDemonstration(source);

/** 'Demo data: invented numbers' (specification, reading 30); null for actual data. */
export const demoText = ({ source }: Pick<CurrentData, 'source'>): string | null =>
  demoOf([source])?.text ?? null;

/** 'As of Fri 20 Nov 2026, close; 0 sessions behind; source live; formula 3.', with the notes beside a verdict. */
export function stateText(data: CurrentData): string {
  const { view, source, sessionsBehind } = data;
  const demo = demoText(data);
  const notes = `${demo === null ? '' : ` ${demo}.`} ${DESCRIBES}`;
  if (view.age === null) return `No data yet.${notes}`;
  return `As of ${view.age.asOf.text}; ${behindText(sessionsBehind ?? 0)}; source ${source ?? 'unknown'}; formula ${SIGNAL_FORMULA}.${notes}`;
}

/** Fear & Greed for every output (specification, reading 27): null if unknown or too old to count. `olderText` is an earlier date. */
export function usableFearGreed({ fearGreed, signal }: DashboardView) {
  const row = signal.rows.find(({ input }) => input === 'fearGreed');
  if (fearGreed === null || row?.score.value == null) return null;
  return { view: fearGreed, olderText: fearGreed.asOf.older };
}
