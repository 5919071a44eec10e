export function bundle(
  folder: string,
  entries: Readonly<Record<string, string>>,
  external?: RegExp,
): Promise<void>;
