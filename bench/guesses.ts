import { Agent, request } from 'node:http';
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
const VISITS_PER_SECOND = 200;
const CONNECTIONS = 16;
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

/** The time of each page read (ms), sent at a constant rate even if the server falls behind. Throws if one fails. */
async function visit(url: string, cookie: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const read = (due: number) =>
    new Promise<number>((resolve, reject) => {
      request(url, { agent, headers: { ...AS_A_BROWSER, cookie } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`A visitor gets ${response.statusCode}.`));
        response.on('error', reject).on('end', () => resolve(performance.now() - due));
        response.resume();
      })
        .on('error', reject)
        .end();
    });
  const started = performance.now();
  const reads: Promise<number>[] = [];
  while (reads.length < VISITS_PER_SECOND * SECONDS) {
    const due = started + (reads.length / VISITS_PER_SECOND) * 1_000;
    if (due > performance.now()) await new Promise((resolve) => setTimeout(resolve, 1));
    else reads.push(read(due));
  }
  const times = await Promise.all(reads);
  agent.destroy();
  return times;
}

const p99 = (times: readonly number[]) =>
  [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

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
    { url, connections: CONNECTIONS, seconds: SECONDS, script, isBackground: true },
    atEnd,
  );
  // wrk counts each status of 400 or above as failed.
  if (failed < requests) throw new Error(`${requests - failed} guesses are not refused.`);
  return requests;
}

/** Reads a private page at a constant rate, in alternate rounds without and with 10,000 wrong passwords in all. */
export function benchGuesses(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    ensureWrk();
    const folder = temporaryFolder(atEnd);
    const settings = { AUDIENCE: 'private', PAGE_PASSWORD: PASSWORD };
    const { url } = await startServe(join(folder, 'data'), atEnd, settings);
    const cookie = await enter(url);
    await Promise.all([visit(url, cookie), guess(url, folder, 0, atEnd)]);
    const quiet: number[] = [];
    const guessed: number[] = [];
    let guesses = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const alone = async () => quiet.push(p99(await visit(url, cookie)));
      const beside = async () => {
        const [times, refused] = await Promise.all([visit(url, cookie), guess(url, folder, round, atEnd)]);
        guessed.push(p99(times));
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
