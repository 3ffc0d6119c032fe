import type { Tx } from '#db/client.ts';
import type { Principal } from '#server/auth/service.ts';
import { newId } from '#server/ids.ts';
import { type Admitted, insertJob, restartJob, selectJobByKey } from './queries.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';

/** A run to do. */
export interface Run {
  kind: 'run';
  tenantId: string;
  request: TranslationRequest;
  admitted: Admitted;
}

/** Either a run, or the job of an earlier submission with the same key, as it stands. */
export type Admission = Run | { kind: 'replay'; job: TranslationJob };

/**
 * Gate (3) of B 4.1, the replay check, and the job's insertion, in the one transaction in which the caller was
 * authenticated (gate 4). Gates (5) to (7) belong between the two. The unique key decides between concurrent submissions, not the look-up before it.
 */
export async function admit(
  tx: Tx,
  principal: Principal,
  submitted: TranslationRequest,
  staleSeconds: number,
): Promise<Admission> {
  const { id: tenantId, name } = principal.tenant;
  const request = { ...submitted, metadata: { ...submitted.metadata, tenant: { id: tenantId, name } } };
  const key = request.idempotency_key ?? null;

  if (key === null) {
    const [admitted] = await tx.last(insertJob(tx, { tenantId, jobId: newId(), request }));
    if (!admitted) throw new Error('an insert without a key met a conflict');
    return { kind: 'run', tenantId, request, admitted };
  }

  const known = await selectJobByKey(tx, tenantId, key, staleSeconds);
  if (known && known.job.status !== 'failed' && !known.stalePending)
    return { kind: 'replay', job: known.job };
  const [admitted] = known
    ? await restartJob(tx, tenantId, known.job.id, staleSeconds)
    : await insertJob(tx, { tenantId, jobId: newId(), request });
  // A re-run does the work that was asked for first, as its stored job says.
  if (admitted) return { kind: 'run', tenantId, request: known?.job.request ?? request, admitted };

  // Somebody else was faster by a moment: theirs is the job of this key.
  const theirs = await selectJobByKey(tx, tenantId, key, staleSeconds);
  if (!theirs) throw new Error('the job of a conflicting idempotency key is gone');
  return { kind: 'replay', job: theirs.job };
}
