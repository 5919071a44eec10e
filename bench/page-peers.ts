/**
 * The measurements of another dashboard. Times are in ms on a phone: `dataPainted` with real delays, the others
 * simulated. `script` is in KiB of brotli.
 */
export interface PeerPage {
  readonly name: string;
  readonly script: number;
  readonly lcp: number;
  readonly dataPainted: number | null;
}

/**
 * Comparable open dashboards, built from their sources and measured elsewhere by the same method on the same kind of
 * machine: medians of five. They cannot run here, so only the ratio to Barometer's values is checked.
 */
export const PEERS: readonly PeerPage[] = [
  { name: 'pcai28/fear-greed-dashboard', script: 12.6, lcp: 1459, dataPainted: 1028 },
  { name: 'Tremor template', script: 272, lcp: 2067, dataPainted: 2466 },
  { name: 'tomasisz/fear-greed-chart', script: 169, lcp: 2146, dataPainted: 1729 },
  { name: 'gguloadoong/market-dashboard-v5', script: 351, lcp: 4691, dataPainted: 3631 },
  { name: 'satnaing/shadcn-admin', script: 314, lcp: 4888, dataPainted: 3582 },
  { name: 'koala73/worldmonitor, finance', script: 807, lcp: 5406, dataPainted: 4120 },
  { name: 'jmezzadri/market-dashboard', script: 388, lcp: 6010, dataPainted: 3636 },
];
