interface BarProps {
  /** Percent of the length, or the position on the scale, 0–100; null draws an empty track. */
  value: number | null;
  tone?: string;
}

/** A decorative bar; its number is always written beside it. */
export function Bar({ value, tone }: BarProps) {
  return (
    <svg className="bar" width="100%" height="6" aria-hidden="true" data-tone={tone}>
      <rect className="bar-ground" width="100%" height="6" rx="3" />
      {value !== null && <rect className="bar-part" width={`${value}%`} height="6" rx="3" />}
    </svg>
  );
}

/** A scale with a mark on it, for positions rather than amounts; decorative like a bar. */
export function Rail({ value, tone }: BarProps) {
  return (
    <svg className="rail" width="100%" height="14" aria-hidden="true" data-tone={tone}>
      <rect className="bar-ground" y="4" width="100%" height="6" rx="3" />
      {value !== null && <circle className="rail-mark" cx={`${value}%`} cy="7" r="6.5" />}
    </svg>
  );
}
