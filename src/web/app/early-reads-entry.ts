import { dashboardAddresses } from '#queries/read-addresses.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { readBackend } from './backend.ts';
import { builtInBackend } from './configuration.ts';
import { beginReads } from './early-reads.ts';

// In a page without data, begins the reads before its script is loaded. The page repeats a failed one and reports it.
try {
  const injected = document.getElementById('barometer-config')?.textContent ?? null;
  const backend = readBackend(injected, builtInBackend, document.baseURI);
  if (backend !== null) {
    const requests = dashboardAddresses(backend.supabaseUrl, marketClockAt(Date.now()));
    const reads = beginReads(fetch, document.baseURI, backend.anonKey, requests);
    globalThis.barometerReads = reads;
    // Reads that the page has not used by this time are stale.
    setTimeout(() => reads.clear(), 30_000);
  }
} catch {}
