/** The loading text, and placeholders with the final heights of the sections. */
export function Loading() {
  return (
    <div className="sections">
      <div className="skeleton" />
      <div className="skeleton">
        <p className="loading-words" role="status">
          Loading market data...
        </p>
      </div>
      <div className="three-up skeleton-sentiment">
        <div className="skeleton" />
        <div className="skeleton" />
        <div className="skeleton" />
      </div>
      <div className="skeleton skeleton-chart" />
      <div className="skeleton" />
      <div className="two-up">
        <div className="skeleton" />
        <div className="skeleton" />
      </div>
      <div className="more-widgets">
        <div className="skeleton" />
        <div className="skeleton" />
      </div>
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}

interface LoadErrorProps {
  message: string;
  onRetry: () => void;
}

export function LoadError({ message, onRetry }: LoadErrorProps) {
  return (
    <section className="card load-error" role="alert">
      <h2>Failed to load market data</h2>
      <p className="quiet">{message}</p>
      <button type="button" className="button" onClick={onRetry}>
        Retry
      </button>
    </section>
  );
}
