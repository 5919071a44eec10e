// Exits 0 if the server of this container responds, else 1. Requests /healthz and not /readyz, because a restart does
// not help a server that waits for data.
const { PORT = '4321' } = process.env;
const isAlive = await fetch(`http://127.0.0.1:${PORT}/healthz`, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isAlive ? 0 : 1);
