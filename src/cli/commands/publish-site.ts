import { checkPublishedRights } from '#collector/publish/published-rights.ts';
import { readShownSource } from '#collector/runs/freshness.ts';
import type { Database } from '#database/port.ts';
import { DataChanged, siteFiles } from '#server/files/site-files.ts';
import { type LastSite, writeSite } from '#server/files/site-folder.ts';
import { startDrawing } from '#server/page/card/draw-card.ts';
import { type Context, command } from '../command.ts';
import { rightsOf } from '../doctor/check-rights.ts';
import { withDatabase } from '../open-database.ts';
import { CLIENT_FOLDER, DRAW_WORKER_URL, readVersion } from '../paths.ts';
import { publicUrl } from '../settings/setting-parsers.ts';
import { UsageError } from '../settings/usage-error.ts';
import { chooseSource, SOURCE_FLAGS, SOURCE_HELP, type SourceFlags } from '../source-choice.ts';
import { writeCount } from '../terminal/wording.ts';
import { sourceFlags } from './collect.ts';

/** A run may commit while the files are made. Then they are made again. */
const ATTEMPTS = 3;

export const publish = command({
  help: `Usage: npm run barometer -- publish --out DIR [flags]

Writes the page and every public document as files for any static host. DIR is a symbolic link to a folder beside it, and
changes in one step to the next complete publication. A second run writes only the files that changed.

  --out DIR       a folder that does not exist, is empty, or was published before
  --url URL       the address of the files, if it is not PUBLIC_URL
${SOURCE_HELP}`,
  flags: { out: { type: 'string' }, url: { type: 'string' }, ...SOURCE_FLAGS },
  async run(context, { out, url: named, ...flags }) {
    const { environment, stdout } = context;
    if (out === undefined) throw new UsageError('publish needs --out DIR, the folder to publish to.');
    const url = named !== undefined ? publicUrl(named, '--url') : environment.publicUrl;
    if (url === null)
      throw new UsageError('publish needs the address of the files. Pass --url or set PUBLIC_URL.');
    if (environment.publishing.audience === 'private') {
      throw new UsageError(
        'AUDIENCE=private shows the page only to visitors with the password, which files cannot ask for. Set AUDIENCE=public to publish what everybody may see.',
      );
    }
    const drawing = startDrawing(DRAW_WORKER_URL);
    const published = await withDatabase(context, async (database) => {
      const options = await optionsOf(database, context, await sourceFlags(database, context, flags), url);
      for (let attempt = 1; ; attempt += 1) {
        const at = context.now();
        try {
          const files = (last: LastSite) => siteFiles({ ...options, draw: drawing.draw, at }, last);
          return await writeSite(out, files, context.now);
        } catch (error) {
          if (!(error instanceof DataChanged)) throw error;
          if (attempt === ATTEMPTS)
            throw new Error('The data changed during each attempt. Publish again later.');
        }
      }
    }).finally(drawing.close);
    const { files, bytes, written, removed } = published;
    stdout.write(
      `${out} has ${writeCount(files, 'file')} (${(bytes / 1e6).toFixed(1)} MB): ${written.length} written, ${removed.length} removed.\n`,
    );
    return 0;
  },
});

/** Reads what the files show. Throws an error if the database has no data of the source, or data that may not be published. */
async function optionsOf(database: Database, { environment, now }: Context, flags: SourceFlags, url: string) {
  const source = chooseSource(environment, flags);
  const shown = await readShownSource(database, now());
  if (shown === null) throw new Error('The database shows no market. Run "collect" or "backfill" first.');
  if (shown !== source.name && !(shown === 'replay' && source.name === 'csv')) {
    throw new Error(
      `The database has data of the source ${shown}, not ${source.name}. Set MARKET_SOURCE or pass --source.`,
    );
  }
  await checkPublishedRights(database, source);
  const { publishing } = source;
  const { productName, widgets, widgetSymbols, hosted, publicUrl: server, mail } = environment;
  return {
    ...{ database, url, clientFolder: CLIENT_FOLDER, version: readVersion() },
    page: {
      productName,
      widgets: widgets === 'own' ? widgets : undefined,
      widgetSymbols,
      doubleOptIn: mail.doubleOptIn,
    },
    rights: publishing === undefined ? null : rightsOf(publishing),
    publishDelay: environment.publishing.delay,
    backend: hosted,
    // With --url, PUBLIC_URL is the address of a server.
    subscribeAt: server === url ? null : server,
  };
}
