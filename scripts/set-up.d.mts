export const ROOT: string;
export function ensureBuilt(): void;
export const NO_BROWSER: string;
export function findBrowser(): string | undefined;
export function installDebianPackages(names: readonly string[]): boolean;
export function withoutServices<Result>(step: () => Result, policy?: string): Result;
