/** The machine that a test describes: its environment, the path of its Node, and the files that exist. */
export interface Machine {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly node?: string;
  readonly isThere?: (path: string) => boolean;
}

export function npmScript(machine?: Machine): string | undefined;
export function npmCommand(machine?: Machine): readonly string[];
export function packageCommand(root: string, name: string, program?: string): readonly string[];
export function installNode(version: string, folder: string): string | undefined;
