import { type RefObject, useEffect, useReducer, useRef, useState } from 'react';
import { isLoadedMessage } from './embed.ts';
import { probe, type Reach } from './probe.ts';

/** Time (ms) without a message from the widget after which a note is shown. */
const SILENCE_TIMEOUT = 20_000;
/** Time (ms) after the frame's `load` event before the network is tested. */
const GRACE = 300;

const EVENT_OF: Record<Reach, WidgetEvent> = { open: 'reached', refused: 'refused' };

interface WidgetParts {
  frame: RefObject<HTMLIFrameElement | null>;
  place: RefObject<HTMLElement | null>;
  /** The address of the widget, without and with its settings. */
  plainUrl: string;
  url: string;
}

interface WatchedWidget extends WidgetState {
  tryAgain: () => void;
  /** Call it when the frame fires `load`, which it also does if it could not load. */
  onLoad: () => void;
}

/**
 * Watches the widget in `frame` and returns its state. A changed address and a network that returns each start a new
 * attempt.
 */
export function useWidget({ frame, place, plainUrl, url }: WidgetParts): WatchedWidget {
  const [state, dispatch] = useReducer(reduceWidget, BEGINNING);
  const [loadedAttempt, setLoadedAttempt] = useState<number | null>(null);
  const { phase, attempt } = state;

  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source !== null && source === frame.current?.contentWindow && isLoadedMessage(origin, data)) {
        dispatch('answered');
      }
    };
    const goOffline = () => dispatch('offline');
    const goOnline = () => dispatch('online');
    window.addEventListener('message', listen);
    window.addEventListener('offline', goOffline);
    window.addEventListener('online', goOnline);
    return () => {
      window.removeEventListener('message', listen);
      window.removeEventListener('offline', goOffline);
      window.removeEventListener('online', goOnline);
    };
  }, [frame]);

  const shown = useRef(url);
  useEffect(() => {
    if (shown.current !== url) dispatch('again');
    shown.current = url;
  }, [url]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt has its own time limit
  useEffect(() => {
    if (!navigator.onLine) dispatch('offline');
    const timer = setTimeout(() => dispatch('timed out'), SILENCE_TIMEOUT);
    return () => clearTimeout(timer);
  }, [attempt]);

  const unsure = loadedAttempt === attempt && (phase === 'waiting' || phase === 'silent');
  useEffect(() => {
    if (!unsure) return;
    let end = () => {};
    const timer = setTimeout(() => {
      if (place.current === null) return;
      end = probe(plainUrl, place.current, (reach) => dispatch(EVENT_OF[reach]));
    }, GRACE);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [unsure, place, plainUrl]);

  return {
    ...state,
    tryAgain: () => dispatch('again'),
    onLoad: () => setLoadedAttempt(attempt),
  };
}

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
