/**
 * waiting: no result yet · open: the provider responds, the widget is silent · `answered`: the widget has said that it
 * loaded · silent: 20 s without a message · blocked: the network returns nothing · offline
 */
export type Phase = 'waiting' | 'open' | 'answered' | 'silent' | 'blocked' | 'offline';

export interface WidgetState {
  phase: Phase;
  /** Number of the attempt. Each attempt has its own frame. */
  attempt: number;
  /** True if the fallback stays while a new attempt is waiting. */
  standIn: boolean;
}

export type WidgetEvent = 'answered' | 'reached' | 'refused' | 'timed out' | 'offline' | 'online' | 'again';

export const BEGINNING: WidgetState = { phase: 'waiting', attempt: 0, standIn: false };

/** The state after an event. After the widget's own message only a new attempt changes it. */
export function reduceWidget(state: WidgetState, event: WidgetEvent): WidgetState {
  if (event === 'answered') return { ...state, phase: 'answered', standIn: false };
  const { phase } = state;
  const waiting = phase === 'waiting';
  switch (event) {
    case 'again':
      return { phase: 'waiting', attempt: state.attempt + 1, standIn: state.standIn };
    case 'online':
      return phase === 'open' || phase === 'answered' ? state : reduceWidget(state, 'again');
    case 'reached':
      return waiting ? { ...state, phase: 'open', standIn: false } : state;
    case 'refused':
      return waiting || phase === 'silent' ? { ...state, phase: 'blocked', standIn: true } : state;
    case 'offline':
      return waiting || phase === 'blocked' ? { ...state, phase: 'offline', standIn: true } : state;
    case 'timed out':
      return waiting || phase === 'open' ? { ...state, phase: 'silent', standIn: false } : state;
  }
}
