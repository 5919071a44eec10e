const LINES = {
  refresh: 'M20 11a8 8 0 1 0-2.3 6.7M20 4v7h-7',
  close: 'M6 6l12 12M18 6L6 18',
  chevron: 'M6 9l6 6 6-6',
  check: 'M5 13l4.5 4.5L19 7',
  spinner: 'M12 3a9 9 0 1 0 9 9',
  /** A disc. The style sheet fills its right half: the left edge goes back on itself. */
  theme: 'M12 3.5a8.5 8.5 0 0 0 0 17a8.5 8.5 0 0 1 0-17a8.5 8.5 0 0 1 0 17z',
} as const;

interface IconProps {
  name: keyof typeof LINES;
  className?: string | undefined;
}

export function Icon({ name, className }: IconProps) {
  return (
    <svg
      className={className}
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={LINES[name]} />
    </svg>
  );
}
