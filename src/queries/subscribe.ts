import type { TableClient } from './client.ts';

/** Whether the text looks like an e-mail address, surrounding space aside. */
export declare function isEmail(text: string): boolean;

/** Adds an address to the weekly signal. Throws QueryError 'already_subscribed' or 'failed_to_subscribe'. */
export declare function subscribe(client: TableClient | null, email: string): Promise<void>;
