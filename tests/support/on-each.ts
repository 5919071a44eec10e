/** Concurrency: fast, but too low for requests to be refused. */
const AT_ONCE = 8;

/** Runs `work` on the items with limited concurrency. Returns the results in the order of the items. */
export async function onEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  atOnce = AT_ONCE,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
