interface LoadErrorProps {
  message: string;
  onRetry: () => void;
}

/** Shown in place of the dashboard when nothing could be read. */
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
