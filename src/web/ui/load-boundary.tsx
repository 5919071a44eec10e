import { Component, type ReactNode } from 'react';

interface LoadBoundaryProps {
  /** What the words that stand in are styled as. */
  className?: string;
  /** What stands beside those words: a button to put them aside where they fill nobody's place. */
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
