import { type RefObject, type ToggleEvent, useCallback, useEffect, useState } from 'react';

const WIDTH = 320;
/** Minimum distance from the edges of the window and from the anchor. */
const MARGIN = 16;
const GAP = 6;
/**
 * Minimum height below the anchor, as a share of the note's width. If there is more, the note is placed below, even if
 * there is more space above.
 */
export const ENOUGH_ROOM = 7 / 8;

/** Height below an anchor that a note can have. Negative if the anchor ends below the window. */
export const roomBelow = (windowHeight: number, bottom: number) => windowHeight - bottom - GAP - MARGIN;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly bottom: number;
}

/** The left and the right edge of the card that the note should not leave. */
interface Sides {
  readonly left: number;
  readonly right: number;
}

/**
 * Position of a note `wanted` wide beside `anchor` in a window of this size, all in CSS pixels: under it, or over it. `edge` is
 * the height of the note's edge beside the anchor, from the top of the window.
 */
export function placeFor(
  anchor: Box,
  window: { width: number; height: number },
  card: Sides,
  wanted = WIDTH,
) {
  const width = Math.min(wanted, window.width - 2 * MARGIN);
  const middle = anchor.left + anchor.width / 2 - width / 2;
  const within = Math.max(card.left, Math.min(middle, card.right - width));
  const left = Math.max(MARGIN, Math.min(within, window.width - MARGIN - width));
  const below = roomBelow(window.height, anchor.bottom);
  const above = anchor.top - GAP - MARGIN;
  const side = below >= ENOUGH_ROOM * wanted || below >= above ? 'below' : 'above';
  const edge = side === 'below' ? anchor.bottom + GAP : anchor.top - GAP;
  return { left, width, maxHeight: side === 'below' ? below : above, side, edge };
}

/**
 * Places an absolutely positioned element of the top layer beside another, so that both scroll with the page. It leaves the
 * row or tile of the anchor free.
 */
export function placeBeside(element: HTMLElement, anchor: Element, wanted?: number): void {
  const { clientWidth, clientHeight } = document.documentElement;
  const card = anchor.closest('.signal-verdict, .signal-reasons, .card') ?? document.documentElement;
  const { left, width } = anchor.getBoundingClientRect();
  const { top, bottom } = rowOf(anchor).getBoundingClientRect();
  const place = placeFor(
    { left, top, width, bottom },
    { width: clientWidth, height: clientHeight },
    card.getBoundingClientRect(),
    wanted,
  );
  Object.assign(element.style, {
    left: `${place.left + scrollX}px`,
    width: `${place.width}px`,
    maxHeight: `${place.maxHeight}px`,
    top: `${place.edge + scrollY}px`,
    // Chromium 150 measures `bottom` from the end of the page.
    translate: place.side === 'below' ? 'none' : '0 -100%',
  });
}

/** The row or tile of an anchor; the anchor itself outside of both. */
export const rowOf = (anchor: Element) => anchor.closest('.tile, tr, li') ?? anchor;

/** State and handlers of a popover that stays beside `anchor`, also when the window changes its size. `width` in pixels. */
export function useBeside(
  note: RefObject<HTMLElement | null>,
  anchor: RefObject<HTMLElement | null>,
  width?: number,
) {
  const [open, setOpen] = useState(false);
  const place = useCallback(() => {
    if (note.current !== null && anchor.current !== null) placeBeside(note.current, anchor.current, width);
  }, [note, anchor, width]);

  useEffect(() => {
    if (!open) return;
    // The window may have changed its size between the opening and this effect.
    place();
    window.addEventListener('resize', place);
    return () => window.removeEventListener('resize', place);
  }, [open, place]);

  const handlers = {
    onBeforeToggle: ({ newState }: ToggleEvent) => {
      if (newState === 'open') place();
    },
    onToggle: ({ newState }: ToggleEvent) => setOpen(newState === 'open'),
  };
  return { open, handlers };
}
