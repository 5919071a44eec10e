import { tickProxy } from '#domain/indicators/tick.ts';
import type { Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import type { LiveRun } from './run.ts';

/** Reads the last one-minute closes of the members up to `until` (epoch ms) and takes their TICK. */
export async function readTicks(run: LiveRun, held: HeldView, given: Given, until: number): Promise<void> {
  const { target, members, http } = run;
  const { now, problems } = run.request;
  const [provider] = run.plan.find(({ asking }) => asking === 'minutes')?.providers ?? [];
  const isHeld = !Number.isNaN(held.value('tick_proxy', target.session));
  const isOnRecord = run.request.isOnRecord?.('tick_proxy', target.session) ?? true;
  if (provider?.readMinutes === undefined || (isHeld && isOnRecord)) return;
  const readMinutes = provider.readMinutes.bind(provider);
  const symbols = members
    .map(({ symbol }) => symbol)
    .filter((symbol) => given.hasBar(symbol, target.session));
  const reading = await run.ask(provider, { topic: 'ticks', what: 'One-minute closes' }, () =>
    readMinutes({ symbols, until, now, http, problems }),
  );
  const tick = reading === null ? null : tickProxy(reading.last, reading.before);
  if (tick !== null) given.addValue('tick_proxy', target.session, tick, provider.name);
}
