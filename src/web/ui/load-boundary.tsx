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
 * Keeps a part whose code could not be fetched (offline, or a new version was deployed meanwhile) from taking
 * the page with it. React offers this to classes only.
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
