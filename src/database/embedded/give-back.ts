import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What may lie about before it is looked for (bytes). */
const LEFT_BEHIND = 20e6;

const inUse = (): number => {
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
};

/**
 * What gives back the memory that is left behind in this thread, once that is much. What passes through an engine are
 * buffers beside the heap, and a thread whose own heap hardly grows is in no hurry to look for them.
 */
export function giverBack(): () => void {
  // The flag lets contexts made from here on have it; no other can.
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let kept = inUse();
  return () => {
    if (inUse() < kept + LEFT_BEHIND) return;
    collectGarbage();
    kept = inUse();
  };
}
