import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { deleteSet, selectSets } from './queries/sets.ts';
import type { TerminologySet } from './schema.ts';
import { setView } from './set-view.ts';

export async function listSets(tx: Tx, tenantId: string): Promise<TerminologySet[]> {
  return (await selectSets(tx, tenantId)).map(setView);
}

/** @throws AppError 404 for a set that is unknown or foreign */
export async function removeSet(tx: Tx, tenantId: string, setId: string): Promise<void> {
  if (!(await deleteSet(tx, tenantId, setId))) throw new AppError('not_found', 'terminology set not found');
}
