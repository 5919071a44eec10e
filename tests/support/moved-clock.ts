/** Settings under which a process of its own has a clock that is so far ahead of this machine's (ms). */
export function movedClock(ahead: number): { NODE_OPTIONS: string } {
  const program = `const now = Date.now;
    globalThis.Date = class extends Date {
      constructor(...of) { if (of.length === 0) super(now() + ${ahead}); else super(...of); }
      static now() { return now() + ${ahead}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}
