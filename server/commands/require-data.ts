import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#server/settings.ts';
import { Refusal } from './refusal.ts';

/**
 * Requires that an embedded database exists, because joining a missing one would create it.
 * @throws Refusal
 */
export async function requireData({ DATABASE_URL, DATA_DIR }: Settings): Promise<void> {
  if (DATABASE_URL !== undefined) return;
  await access(join(DATA_DIR, 'postgres')).catch(() => {
    throw new Refusal(`DATA_DIR: no database in ${DATA_DIR}`);
  });
}
