import { build, ensureInstalled } from './set-up.mjs';

ensureInstalled();
await build();
