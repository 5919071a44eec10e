import { join } from 'node:path';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { AS_A_BROWSER } from './page-reads.ts';
import { startServe } from './product.ts';
import { ensureWrk, runWrk, writeScript } from './wrk.ts';

const PASSWORD = 'for-the-benchmark';
const GUESSES = 10_000;
const ROUNDS = 12;
const SECONDS = 5;
/** Connections of visitors. */
const VISITORS = 4;
/** Connections of guessers. */
const GUESSERS = 16;
/** Pause between the guesses of a connection (ms): some 200 guesses per second in all. */
const APART_MS = 75;
const P99_RATIO = 1.2;

/** Enters the password, and returns the cookie. */
async function enter(url: string): Promise<string> {
  const body = new URLSearchParams({ password: PASSWORD });
  const { status, headers } = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? [];
  if (status !== 303 || cookie === '') throw new Error(`The password is refused with ${status}.`);
  return cookie;
}

/**
 * Reads the page as fast as responses come, because the timers of a constant rate take longer than a read. Returns the 99th
 * percentile of the times (ms). Throws if a read fails.
 */
async function visit(url: string, script: string, atEnd: AtEnd): Promise<number> {
  const { p99, failed } = await runWrk({ url, connections: VISITORS, seconds: SECONDS, script }, atEnd);
  if (failed > 0) throw new Error(`${failed} reads of visitors failed.`);
  return p99;
}

/**
 * Guesses the password, each second time from another network, and otherwise from one network that is over its limit.
 * Returns the number of refused guesses. Throws if one is not refused.
 */
async function guess(url: string, folder: string, round: number, atEnd: AtEnd): Promise<number> {
  const guesses = {
    setUp: `local number = ${round * GUESSES}\nfunction delay() return ${APART_MS} end\n`,
    before: `  number = number + 1
  local network = number % 2 == 0 and "203.0.113.9"
    or string.format("10.%d.%d.%d", number / 65536, number / 256 % 256, number % 256)
  do return wrk.format("POST", "/", { ["X-Forwarded-For"] = network, ["Accept"] = "text/html",
    ["Content-Type"] = "application/x-www-form-urlencoded" }, "password=guess" .. number) end\n`,
  };
  const script = writeScript(folder, `guesses-${round}`, [], guesses);
  const { requests, failed } = await runWrk(
    { url, connections: GUESSERS, seconds: SECONDS, script, isBackground: true },
    atEnd,
  );
  // wrk counts each status of 400 or above as failed.
  if (failed < requests) throw new Error(`${requests - failed} guesses are not refused.`);
  return requests;
}

/** Reads a private page as fast as responses come, in alternate rounds without and with 10,000 wrong passwords in all. */
export function benchGuesses(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    ensureWrk();
    const folder = temporaryFolder(atEnd);
    const settings = { AUDIENCE: 'private', PAGE_PASSWORD: PASSWORD };
    const { url } = await startServe(join(folder, 'data'), atEnd, settings);
    const cookie = await enter(url);
    const page = { path: '/', headers: { ...AS_A_BROWSER, cookie } };
    const visits = writeScript(folder, 'visits', [page]);
    await Promise.all([visit(url, visits, atEnd), guess(url, folder, 0, atEnd)]);
    const quiet: number[] = [];
    const guessed: number[] = [];
    let guesses = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = async () => quiet.push(await visit(url, visits, atEnd));
      const beside = async () => {
        const [p99, refused] = await Promise.all([
          visit(url, visits, atEnd),
          guess(url, folder, round, atEnd),
        ]);
        guessed.push(p99);
        guesses += refused;
      };
      // The order changes each round, so that a change of the machine's speed affects both equally.
      for (const measure of round % 2 === 0 ? [alone, beside] : [beside, alone]) await measure();
    }
    const ratios = guessed.map((time, round) => time / (quiet[round] ?? Number.NaN));
    return [
      { what: 'wrong passwords, all refused', value: guesses, unit: '', bound: { atLeast: GUESSES } },
      { what: 'p99 of page reads without guesses', value: median(quiet), unit: 'ms', runs: quiet },
      { what: 'p99 of page reads beside guesses', value: median(guessed), unit: 'ms', runs: guessed },
      {
        what: 'p99 beside guesses / without, median of the rounds',
        ...{ value: median(ratios), unit: '', runs: ratios, bound: { atMost: P99_RATIO } },
      },
    ];
  });
}
