import { EMBED_ORIGIN } from './embed.ts';

/** open: something responded, or the result is unknown · refused: the network returned nothing */
export type Reach = 'open' | 'refused';

/**
 * Time limit (ms). A network that has not responded by then may never do so, and waiting longer would keep the browser
 * busy.
 */
const LONGEST = 30_000;
/** Time (ms) to wait for the report of a policy violation, which may come after the error if the browser is busy. */
const VIOLATION_DELAY = 100;

/**
 * Tests once if a frame of this address can load, without a console message. A frame that could not load fires `load`
 * with the same timings as any other, but an <object> fires `error`. Removes the object at the first result, before
 * its page runs. Returns a function that ends the test early.
 */
export function probe(url: string, place: Element, answer: (reach: Reach) => void): () => void {
  const object = document.createElement('object');
  object.type = 'text/html';
  object.data = url;
  object.className = 'visually-hidden';
  object.tabIndex = -1;
  object.setAttribute('aria-hidden', 'true');

  let watching = 0;
  const limit = setTimeout(() => finish('open'), LONGEST);
  const end = () => {
    cancelAnimationFrame(watching);
    clearTimeout(limit);
    document.removeEventListener('securitypolicyviolation', onViolation);
    object.remove();
  };
  function finish(reach: Reach) {
    end();
    answer(reach);
  }
  // A host with its own policy may forbid objects but allow frames.
  function onViolation({ blockedURI }: SecurityPolicyViolationEvent) {
    if (blockedURI.startsWith(EMBED_ORIGIN)) finish('open');
  }
  // Content of another origin is not accessible, so null here means that something has loaded.
  function watch() {
    if (object.contentWindow !== null && object.contentDocument === null) finish('open');
    else watching = requestAnimationFrame(watch);
  }

  document.addEventListener('securitypolicyviolation', onViolation);
  object.addEventListener('load', () => finish('open'));
  object.addEventListener('error', () => {
    cancelAnimationFrame(watching);
    setTimeout(() => object.isConnected && finish('refused'), VIOLATION_DELAY);
  });
  place.append(object);
  watching = requestAnimationFrame(watch);
  return end;
}
