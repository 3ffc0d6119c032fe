import type { Tx } from '#db/client.ts';
import type { Principal } from '#server/auth/service.ts';
import { newId } from '#server/ids.ts';
import { type Admitted, insertJob, restartJob, type StoredJob } from './queries.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';

/** A run to do. */
export interface Run {
  kind: 'run';
  tenantId: string;
  request: TranslationRequest;
  admitted: Admitted;
}

/**
 * Either a run, or the job of an earlier submission with the same key as it stands; or `raced`, where another
 * submission with that key came between the look-up and the insertion, and the look-up must be done again.
 */
export type Admission = Run | { kind: 'replay'; job: TranslationJob } | { kind: 'raced' };

/**
 * Gate (3) of B 4.1, the replay check, and the job's insertion, in the one transaction in which the caller was
 * authenticated (gate 4). Gates (5) to (7) belong between the two. `known` is the job that the key has already. The
 * unique key decides between concurrent submissions, not the look-up.
 */
export async function admit(
  tx: Tx,
  principal: Principal,
  submitted: TranslationRequest,
  known: StoredJob | undefined,
  staleSeconds: number,
): Promise<Admission> {
  const { id: tenantId, name } = principal.tenant;
  if (known && known.job.status !== 'failed' && !known.stalePending)
    return { kind: 'replay', job: known.job };

  // A re-run does the work that was asked for first, as its stored job says.
  const request = known?.job.request ?? {
    ...submitted,
    metadata: { ...submitted.metadata, tenant: { id: tenantId, name } },
  };
  const [admitted] = await tx.last(
    known
      ? restartJob(tx, tenantId, known.job.id, staleSeconds)
      : insertJob(tx, { tenantId, jobId: newId(), request }),
  );
  return admitted ? { kind: 'run', tenantId, request, admitted } : { kind: 'raced' };
}
