import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function lines(format: 'plain' | 'json') {
  const written: string[] = [];
  const log = createLog({
    write: (line) => written.push(line),
    clock: () => Date.UTC(2026, 10, 13, 21),
    format,
  });
  return { log, written };
}

describe('createLog', () => {
  it('writes one line per event', () => {
    const { log, written } = lines('plain');
    log.info('listening', { url: 'http://127.0.0.1:4321' });
    log.error('job failed', { job: 'collect', reason: 'no\nsource\u2028at all' });
    expect(written).toEqual([
      '21:00:00 listening url=http://127.0.0.1:4321\n',
      '21:00:00 error job failed job=collect reason="no source at all"\n',
    ]);
  });

  it('writes JSON if the output is no terminal', () => {
    const { log, written } = lines('json');
    log.warn('slow', { ms: 12, table: undefined, code: null });
    expect(JSON.parse(written[0] ?? '')).toEqual({
      time: '2026-11-13T21:00:00.000Z',
      level: 'warn',
      event: 'slow',
      ms: 12,
      code: null,
    });
  });

  it('removes e-mail addresses', () => {
    for (const format of ['plain', 'json'] as const) {
      const { log, written } = lines(format);
      log.error('rest', { reason: 'Key (email)=(Jane.Doe+x@example.org) exists', query: 'email=eq.a@b.co' });
      expect(written.join('')).not.toMatch(/@/);
    }
  });

  it('removes passwords of servers and tokens of links', () => {
    const { log, written } = lines('plain');
    log.warn('mail', { reason: 'smtp://jane:p@ss=w:rd/1@mail.example:587/ refused the login' });
    log.warn('mail', { reason: 'at https://a.co/market/unsubscribe/D4-tW9_n?x and /Confirm/abc' });
    expect(written).toEqual([
      '21:00:00 warn mail reason="smtp://mail.example:587/ refused the login"\n',
      '21:00:00 warn mail reason="at https://a.co/market/unsubscribe/[token]?x and /Confirm/[token]"\n',
    ]);
  });

  it('cuts long texts without leaving half an address', () => {
    const { log, written } = lines('plain');
    log.warn('mail', { reason: 'a'.repeat(3_000_000) });
    log.warn('mail', { reason: `${'jane@a.co '.repeat(199)}${'jane'.repeat(10)}@example.org` });
    expect(written.join('')).not.toMatch(/jane|aa/);
  });
});
