/** What tells when the market's tables may have changed, so that nothing cached outlives what it was made of. */
export interface MarketWatch {
  /** Grows whenever the tables may have changed, as far as this process was told. */
  readonly version: number;
  /** Whether news of commits reach this process now; while not, nothing cached can be called current. */
  readonly isTold: boolean;
  /** Calls back after each growth of `version`; answers how to stop that. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
