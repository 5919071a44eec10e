import { Component, type ReactNode, Suspense, useEffect, useState } from 'react';
import { NOT_LOADED } from '#views/page-texts.ts';

interface LoadBoundaryProps {
  className?: string;
  /** Content beside that text: a button to close it if it is an overlay. */
  beside?: ReactNode;
  /** Shown while the code is fetched; nothing by default. */
  fallback?: ReactNode;
  children: ReactNode;
}

/** The boundary of a part with code of its own, until it is fetched, or if it cannot be (offline, or a new version). */
export class LoadBoundary extends Component<LoadBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    const { className, beside, fallback, children } = this.props;
    if (!this.state.failed) return <Suspense fallback={fallback}>{children}</Suspense>;
    return (
      <div className={className}>
        <p role="alert">{NOT_LOADED}</p>
        {beside}
      </div>
    );
  }
}

/** The code of an optional part: null until it is wanted and loaded, and after a failure. Calls the first `load` only. */
export function useCode<Code>(wanted: boolean, load: () => Promise<Code>): Code | null {
  const [code, setCode] = useState<Code | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering passes another function for the same code
  useEffect(() => {
    if (wanted) load().then(setCode, () => {});
  }, [wanted]);
  return code;
}
