/** What a promise comes to, or the rejection that `late` makes where it takes longer than `ms`; the promise goes on. */
export function withinTime<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const impatience = setTimeout(() => reject(late()), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(impatience));
  });
}
