/** An instruction of a Dockerfile: `COPY --from=build /build/dist dist` has the flag `from`. */
export interface Instruction {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** The instructions of a Dockerfile by stage. Each stage begins with its FROM. */
export function readStages(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', flagged = '', rest = ''] = /^([A-Z]+)((?: --\S+)*) (.+)$/.exec(line) ?? [];
    const flags = Object.fromEntries(
      [...flagged.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value]),
    );
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, flags, rest });
  }
  return stages;
}

/** The sources and the target of a COPY. */
export function pathsOf({ rest }: Instruction): { from: string[]; to: string } {
  const paths = rest.split(' ');
  return { from: paths.slice(0, -1), to: paths.at(-1) ?? '' };
}

/** The program and the parameters of an instruction in JSON, also behind `CMD` of a HEALTHCHECK. */
export function commandOf({ rest }: Instruction): string[] {
  return JSON.parse(rest.slice(rest.indexOf('['))) as string[];
}

/** The paths that the Dockerfile's .dockerignore admits. Its first line excludes everything else. */
export function admittedPaths(text: string): string[] {
  const [everything, ...kept] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (everything !== '*') throw new Error('The first line of .dockerignore has to be *.');
  return kept.map((line) => line.slice(1));
}
