import { Component, type ReactNode, Suspense } from 'react';

interface LoadBoundaryProps {
  /** Class of the fallback text. */
  className?: string;
  /** Content beside that text: a button to close it if it is an overlay. */
  beside?: ReactNode;
  /** Shown while the code is fetched; nothing by default. */
  fallback?: ReactNode;
  children: ReactNode;
}

export const NOT_LOADED = (
  <p role="alert">This part of the page could not be loaded. Please reload the page.</p>
);

/**
 * The boundary of a part with code of its own, for the time until it is fetched, and if it cannot be (offline, or a new
 * version was deployed). React offers error boundaries to classes only.
 */
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
        {NOT_LOADED}
        {beside}
      </div>
    );
  }
}
