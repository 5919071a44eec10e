/**
 * Does work once the browser has painted what was just changed, so that a press is answered before what it leads to is
 * worked out; soon, where nobody looks at the page and nothing is painted. Answers how to leave it undone.
 */
export function afterPaint(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    timer = setTimeout(work);
  };
  const frame = document.hidden ? soon() : requestAnimationFrame(soon);
  return () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
