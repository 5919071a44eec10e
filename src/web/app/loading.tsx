// The sections of the dashboard, each with the class that holds its height until it is there.
const PLACES = ['indices', 'signal', 'sentiment', 'chart', 'fear-greed', 'metrics', 'widgets'] as const;

export function Loading() {
  return (
    <div className="sections">
      <p className="loading-words" role="status">
        Loading market data...
      </p>
      {PLACES.map((place) => (
        <div key={place} className={`skeleton skeleton-${place}`} aria-hidden="true" />
      ))}
    </div>
  );
}
