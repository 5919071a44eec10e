import { Component, type ReactNode } from 'react';

interface LoadBoundaryProps {
  /** What the words that stand in are styled as. */
  className?: string;
  children: ReactNode;
}

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
    return (
      <p className={this.props.className} role="alert">
        This part of the page could not be loaded. Please reload the page.
      </p>
    );
  }
}
