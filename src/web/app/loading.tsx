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

export function LoadError({ message, onRetry }: { message: string; onRetry: () => void }) {
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
