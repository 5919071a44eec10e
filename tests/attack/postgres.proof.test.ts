import { attacksOn } from './attacks.ts';

attacksOn('server over Postgres');
