import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Growth of the memory in use (bytes) after which garbage is collected. */
const MOST_GROWTH = 20e6;

const inUse = (): number => {
  const { external_memory, used_heap_size } = getHeapStatistics();
  return external_memory + used_heap_size;
};

/**
 * Returns a function that collects the garbage of this thread if the memory in use has grown by `MOST_GROWTH` since the
 * last collection. V8 rarely collects garbage in a thread whose heap hardly grows, and the engine's buffers are outside
 * the heap.
 */
export function createGarbageCollector(): () => void {
  // The flag only affects contexts that are created after this call.
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let last = inUse();
  return () => {
    if (inUse() < last + MOST_GROWTH) return;
    collectGarbage();
    last = inUse();
  };
}
