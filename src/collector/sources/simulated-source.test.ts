import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { EXCHANGE_ISSUES } from '#domain/indicators/tick.ts';
import type { MarketHistory } from '#domain/market-history.ts';
import { readSource } from '#tests/support/read-source.ts';
import { correlation } from '#tests/support/statistics.ts';
import { createProblems } from '../problems.ts';
import { COMPANIES } from '../simulated/companies.ts';
import { createSimulatedSource } from './simulated-source.ts';

const FRIDAY = '2026-11-20';
const at = (now: number, seed = 'test') => readSource(createSimulatedSource({ seed }), now);
/** A digest of every number in a history. */
function fingerprint({ sessions, series, bars }: MarketHistory): string {
  const hash = createHash('sha256').update(sessions.join());
  for (const column of [...Object.values(series), bars.open, bars.high, bars.low, bars.close, bars.volume]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest('hex');
}

const lastCloses = ({ bars }: MarketHistory) =>
  bars.members.map((_, row) => bars.close[(row + 1) * bars.sessions.length - 1] as number);

describe('the simulated market', () => {
  it('has 110 companies in eleven sectors, with symbols that no exchange lists', () => {
    expect(new Set(COMPANIES.map(({ symbol }) => symbol)).size).toBe(110);
    expect(new Set(COMPANIES.map(({ sector }) => sector)).size).toBe(11);
    for (const { symbol } of COMPANIES) expect(symbol).toMatch(/^[A-Z]{6}$/);
  });

  it('has more than the 876 sessions that a complete index with a year of history needs', async () => {
    for (const day of ['2026-01-02', '2026-11-20', '2031-06-30']) {
      const { history } = await at(Date.parse(`${day}T23:00:00Z`));
      expect(history.bars.sessions.length).toBeGreaterThan(1000);
      expect(history.bars.sessions.length).toBeLessThan(1300);
      expect(history.sessions).toEqual(history.bars.sessions);
    }
  });

  it('has twenty years of the S&P 500 and the VIX, with clusters of volatility and a leverage effect', async () => {
    const now = Date.parse('2026-11-20T23:00:00Z');
    const request = { now, problems: createProblems(), stored: null, report: () => undefined };
    const { missing } = await createSimulatedSource().plan({
      ...{ ...request, job: 'backfill', signal: new AbortController().signal },
    });
    const parts: MarketHistory[] = [];
    for await (const each of missing ?? []) parts.push(each);
    const [part] = parts;
    const { sessions, series } = part ?? expect.fail();
    expect(sessions[0]).toBe('2005-01-03');
    expect((sessions.at(-1) ?? '') < '2022-01-01').toBe(true);
    const logs = Array.from(series.sp500_close ?? [], Math.log);
    const returns = logs.slice(1).map((log, at) => log - (logs[at] ?? Number.NaN));
    const vixChanges = Array.from(series.vix_close ?? []).map((vix, at, all) => vix - (all[at - 1] ?? vix));
    expect(Math.max(...returns.map(Math.abs))).toBeLessThan(0.2);
    const months = Array.from({ length: Math.floor(returns.length / 22) }, (_, month) =>
      Math.log(Math.hypot(...returns.slice(22 * month, 22 * month + 22))),
    );
    expect(correlation(months.slice(1), months.slice(0, -1))).toBeGreaterThan(0.2);
    expect(correlation(returns, vixChanges.slice(1))).toBeLessThan(-0.3);
  });

  it('has the same past in later runs', async () => {
    const { history: before } = await at(Date.parse('2026-12-29T23:00:00Z'));
    const { history: after } = await at(Date.parse('2027-02-05T23:00:00Z'));
    const shared = before.sessions.filter((session) => after.sessions.includes(session));
    expect(shared.length).toBeGreaterThan(900);
    for (const session of shared) {
      const [a, b] = [before.sessions.indexOf(session), after.sessions.indexOf(session)];
      expect(after.series.vix_close?.[b]).toBe(before.series.vix_close?.[a]);
      expect(after.series.sp500_close?.[b]).toBe(before.series.sp500_close?.[a]);
      for (let row = 0; row < 110; row += 1) {
        const [from, to] = [row * before.sessions.length + a, row * after.sessions.length + b];
        for (const field of ['open', 'high', 'low', 'close', 'volume'] as const) {
          if (after.bars[field][to] !== before.bars[field][from])
            throw new Error(`${field} of ${session} changed`);
        }
      }
    }
  });

  it('is the same for the same seed and different for another seed', async () => {
    const now = Date.parse('2026-11-20T23:00:00Z');
    expect(fingerprint((await at(now)).history)).toBe(fingerprint((await at(now)).history));
    expect(lastCloses((await at(now, 'other')).history)).not.toEqual(lastCloses((await at(now)).history));
  });

  it('moves an open session with time up to its closing bars', async () => {
    const [open, close] = [sessionOpen(FRIDAY), sessionClose(FRIDAY)];
    const noon = await at(open + 2.5 * 3_600_000);
    expect(noon.observedAt).toBe(open + 2.5 * 3_600_000);
    expect(noon.history.sessions.at(-1)).toBe(FRIDAY);
    expect(fingerprint((await at(open + 2.5 * 3_600_000)).history)).toBe(fingerprint(noon.history));

    const closed = await at(close);
    expect(closed.observedAt).toBeNull();
    const distance = async (now: number) => {
      const { history } = await at(now);
      const levels = (of: MarketHistory) => of.series.sp500_close?.at(-1) ?? Number.NaN;
      return Math.abs(levels(history) / levels(closed.history) - 1);
    };
    expect(await distance(close - 1000)).toBeLessThan(0.0005);
    expect(await distance(open + 2.5 * 3_600_000)).toBeGreaterThan(0);
    const volumes = (of: MarketHistory) =>
      of.bars.members.map((_, row) => of.bars.volume[(row + 1) * of.sessions.length - 1] as number);
    for (const [row, volume] of volumes(noon.history).entries()) {
      expect(volume).toBeLessThanOrEqual(volumes(closed.history)[row] as number);
    }
  });

  it('has another TICK in each minute of an open session', async () => {
    const tickAt = async (minutes: number) =>
      (await at(sessionOpen(FRIDAY) + minutes * 60_000)).history.series.tick_proxy?.at(-1) ?? Number.NaN;
    const ticks = [await tickAt(30), await tickAt(31), await tickAt(32), await tickAt(33)];
    for (const tick of ticks) expect(Math.abs(tick)).toBeLessThanOrEqual(EXCHANGE_ISSUES);
    expect(new Set(ticks).size).toBeGreaterThan(1);
  });

  it('has only possible bars, also in open sessions', async () => {
    for (const now of [Date.parse('2026-11-20T15:00:00Z'), Date.parse('2026-11-20T23:00:00Z')]) {
      const { bars } = (await at(now)).history;
      for (const [cell, high] of bars.high.entries()) {
        const [open, low, close] = [bars.open[cell], bars.low[cell], bars.close[cell]] as [
          number,
          number,
          number,
        ];
        if (!(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close))) {
          throw new Error(`cell ${cell}: ${open} ${high} ${low} ${close}`);
        }
      }
    }
  });
});
