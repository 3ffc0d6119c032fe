import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#server/settings.ts';

/** A problem that the operator has to know or fix, described in one sentence. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/**
 * Thrown if a command ended before it had done all its work. The message describes in one sentence what is done and
 * what remains.
 */
export class IncompleteError extends Error {
  override name = 'IncompleteError';
}

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
