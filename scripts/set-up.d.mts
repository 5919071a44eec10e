export const ROOT: string;
export function ensureBuilt(): void;
export function findBrowser(): Promise<string | undefined>;
export function installDebianPackages(names: readonly string[]): boolean;
