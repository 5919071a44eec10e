import { attacksOn } from './attacks.ts';

attacksOn('static build over PostgREST');
