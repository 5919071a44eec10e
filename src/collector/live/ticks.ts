import { tickProxy } from '#domain/indicators/tick.ts';
import type { Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import type { LiveRun } from './run.ts';

/**
 * Reads the last one-minute closes of the members up to `until` (epoch ms) and takes their TICK. A part without
 * an answer makes it missing: the rest of the members would not be the universe.
 */
export async function readTicks(run: LiveRun, held: HeldView, given: Given, until: number): Promise<void> {
  const { target, members, http } = run;
  const { now, problems } = run.request;
  const [provider] = run.plan.find(({ asking }) => asking === 'minutes')?.providers ?? [];
  const isHeld = !Number.isNaN(held.value('tick_proxy', target.session));
  if (provider?.readMinutes === undefined || isHeld) return;
  const readMinutes = provider.readMinutes.bind(provider);
  const symbols = members
    .map(({ symbol }) => symbol)
    .filter((symbol) => given.hasBar(symbol, target.session));
  const last: number[] = [];
  const before: number[] = [];
  const step = provider.symbolsARequest ?? symbols.length;
  for (let from = 0; from < symbols.length; from += step) {
    const part = symbols.slice(from, from + step);
    const reading = await run.ask(provider, `One-minute closes of ${part.length} symbols`, () =>
      readMinutes({ symbols: part, until, now, http, problems }),
    );
    if (reading === null) return;
    last.push(...reading.last);
    before.push(...reading.before);
  }
  const tick = tickProxy(Float64Array.from(last), Float64Array.from(before));
  if (tick !== null) given.addValue('tick_proxy', target.session, tick, provider.name);
}
