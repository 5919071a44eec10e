// Whether the server of this container is alive: exit code 0 or 1. It asks /healthz and not /readyz, since what is late
// is mended by no restart.
const { PORT = '4321' } = process.env;
const isAlive = await fetch(`http://127.0.0.1:${PORT}/healthz`, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isAlive ? 0 : 1);
