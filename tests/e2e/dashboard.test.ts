import { dashboardIn } from './dashboard.ts';

dashboardIn(['embedded']);
