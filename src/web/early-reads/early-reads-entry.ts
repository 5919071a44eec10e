import { dashboardAddresses } from '#queries/read-addresses.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import { builtInBackend } from '../app/built-in.ts';
import { readBackend } from '../app/configuration.ts';
import { beginReads } from './early-reads.ts';

/*
 * The script within a page without data: its reads are on their way before the page's own script is. What goes wrong
 * here costs nothing, as the page then asks by itself and says what happened.
 */
try {
  const injected = document.getElementById('barometer-config')?.textContent ?? null;
  const backend = readBackend(injected, builtInBackend, document.baseURI);
  if (backend !== null) {
    const requests = dashboardAddresses(backend.supabaseUrl, marketClockAt(Date.now()));
    const reads = beginReads(fetch, document.baseURI, backend.anonKey, requests);
    globalThis.barometerReads = reads;
    // What nobody took over by then is old.
    setTimeout(() => reads.clear(), 30_000);
  }
} catch {}
