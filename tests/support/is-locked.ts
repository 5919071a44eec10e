import { connectToHolder } from '#database/embedded/lock.ts';

/** True if a process has the database of the folder open. */
export async function isLocked(folder: string): Promise<boolean> {
  const socket = await connectToHolder(folder);
  socket?.destroy();
  return socket !== null;
}
