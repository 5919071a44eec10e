import { addressFor, startHostedDemonstration } from './hosted-database.ts';
import { type GatewayKeys, type HostedGateway, startHostedGateway } from './hosted-gateway.ts';
import type { Postgres } from './postgres.ts';
import { startPostgrest } from './postgrest.ts';

export const HOSTED_KEYS: GatewayKeys = {
  jwtSecret: 'a secret that signs the tokens of a hosted project in a test',
  anonKey: 'sb_publishable_of-a-hosted-project-in-a-test',
  serviceKey: 'sb_secret_of-a-hosted-project-in-a-test',
};

export interface HostedProject {
  readonly gateway: HostedGateway;
  readonly server: Postgres;
  /** The database's address for its owner, who is no superuser. */
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** A hosted project in small: Postgres with our demonstration data, PostgREST over it, and what stands in front. */
export async function startHostedProject(): Promise<HostedProject> {
  const server = await startHostedDemonstration();
  const postgrest = await startPostgrest(addressFor(server.url, 'authenticator'), {
    connections: 5,
    preparesStatements: true,
    settings: { PGRST_JWT_SECRET: HOSTED_KEYS.jwtSecret, PGRST_DB_EXTRA_SEARCH_PATH: 'public, extensions' },
  });
  const gateway = await startHostedGateway(postgrest.url, HOSTED_KEYS);
  return {
    gateway,
    server,
    databaseUrl: addressFor(server.url, 'postgres'),
    stop: async () => {
      await gateway.close();
      await postgrest.stop();
      await server.stop();
    },
  };
}
