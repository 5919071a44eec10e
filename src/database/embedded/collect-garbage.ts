import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Growth of the memory in use that starts a collection (bytes). */
const MOST_GROWTH = 20e6;

const inUse = (): number => {
  const { external_memory, used_heap_size } = getHeapStatistics();
  return external_memory + used_heap_size;
};

/**
 * Returns a function that collects garbage once there is much in this thread. The engine's buffers lie outside the heap,
 * and V8 collects rarely in a thread whose own heap hardly grows.
 */
export function createGarbageCollector(): () => void {
  // The flag only affects contexts created later.
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  let last = inUse();
  return () => {
    if (inUse() < last + MOST_GROWTH) return;
    collectGarbage();
    last = inUse();
  };
}
