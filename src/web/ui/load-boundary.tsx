import { Component, type ReactNode } from 'react';

interface LoadBoundaryProps {
  /** Class of the fallback text. */
  className?: string;
  /** Content beside that text: a button to close it if it is an overlay. */
  beside?: ReactNode;
  children: ReactNode;
}

export const NOT_LOADED = (
  <p role="alert">This part of the page could not be loaded. Please reload the page.</p>
);

/**
 * An error boundary for a part whose code cannot be fetched (offline, or a new version was deployed). React offers
 * error boundaries to classes only.
 */
export class LoadBoundary extends Component<LoadBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    const { className, beside } = this.props;
    return (
      <div className={className}>
        {NOT_LOADED}
        {beside}
      </div>
    );
  }
}
