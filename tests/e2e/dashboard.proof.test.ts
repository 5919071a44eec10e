import { dashboardIn } from './dashboard.ts';

dashboardIn(['embedded', 'server over Postgres', 'static build over PostgREST']);
