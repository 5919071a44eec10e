import { replaceSigningKey } from '#mailer/subscribers/token.ts';
import { rotatePublicKey } from '#server/public-key.ts';
import { command } from '../command.ts';
import { withDatabase } from '../open-database.ts';

export const keysRotate = command({
  help: `Usage: npm run barometer -- keys rotate [--mail]

Replaces the public key of the table API and prints the new one. Restart every server afterwards: until then it uses the
old key. Pages that are open then fail to refresh until they are loaded again, and programs need the new key.

  --mail   replace the key that signs the links of mails instead; the links of all earlier mails stop working`,
  flags: { mail: { type: 'boolean' } },
  async run(context, { mail }) {
    const text = await withDatabase(context, async (database) => {
      if (!mail) return `The new public key is ${await rotatePublicKey(database)}.`;
      await replaceSigningKey(database);
      return 'The links of mails have a new key. Links of earlier mails no longer work.';
    });
    context.stdout.write(`${text} Restart every server now.\n`);
    return 0;
  },
});
