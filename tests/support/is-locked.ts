import { connectToHolder } from '#database/embedded/lock.ts';

/** True if a process holds the database of this folder. */
export async function isLocked(folder: string): Promise<boolean> {
  const socket = await connectToHolder(folder);
  socket?.destroy();
  return socket !== null;
}
