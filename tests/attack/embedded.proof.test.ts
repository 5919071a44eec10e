import { attacksOn } from './attacks.ts';

attacksOn('embedded');
