import type { Tx } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import { type Admitted, insertJob, restartJob } from './queries/admission.ts';
import type { StoredJob } from './queries/rows.ts';
import type { TranslationRequest } from './schema.ts';

/** A run to do. */
export interface Run {
  tenantId: string;
  request: TranslationRequest;
  admitted: Admitted;
}

/** Whose work it is. */
export interface SeriesTenant {
  id: string;
  name: string;
}

/** Whether the job of a key answers by itself, as it stands (B 4.2 rules 1 and 2). */
export function answersReplay({ job, stalePending }: StoredJob): boolean {
  return job.status !== 'failed' && !stalePending;
}

/**
 * Makes or restarts the job of one request; undefined where another submission with its key came between the look-up
 * and this: the unique key decides between concurrent submissions, not the look-up. `known` is the failed or stale job
 * that the key has already. `send` sends the one statement: by `tx.last` where nothing follows it.
 */
export async function admitRun(
  tx: Tx,
  tenant: SeriesTenant,
  submitted: TranslationRequest,
  known: StoredJob | undefined,
  staleSeconds: number,
  send: <T>(statement: PromiseLike<T>) => PromiseLike<T> = (statement) => statement,
): Promise<Run | undefined> {
  // A re-run does the work that was asked for first, as its stored job says.
  const request = known?.job.request ?? {
    ...submitted,
    metadata: { ...submitted.metadata, tenant: { id: tenant.id, name: tenant.name } },
  };
  const [admitted] = await send(
    known
      ? restartJob(tx, tenant.id, known.job.id, staleSeconds)
      : insertJob(tx, { tenantId: tenant.id, jobId: newId(), request }),
  );
  return admitted && { tenantId: tenant.id, request, admitted };
}
