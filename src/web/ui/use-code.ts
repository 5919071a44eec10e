import { useEffect, useState } from 'react';

/**
 * The code of an optional part: null until it is `wanted` and loaded. It stays null after a failure, because the page is
 * complete without the part. Only the first `load` is called.
 */
export function useCode<Code>(wanted: boolean, load: () => Promise<Code>): Code | null {
  const [code, setCode] = useState<Code | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering passes another function for the same code
  useEffect(() => {
    if (wanted) load().then(setCode, () => {});
  }, [wanted]);
  return code;
}
