import { setTimeout as delay } from 'node:timers/promises';
import { submitterOf } from '#server/billing/metering/submitter.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { withRequestDeadline } from '#server/http/request-deadline.ts';
import { type KeyedResult, requestDiffers, withDifferingRequest } from '#server/http/request-fingerprint.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { KeyedSequence } from '#server/platform/keyed-sequence.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { expectRoom } from '#server/storage/usage.ts';
import { refuseByMaximum } from '#server/translation/core/intake/submission-limits.ts';
import { createJob, type Origin } from './create-job.ts';
import type { RunServices } from './document-run.ts';
import { findDocumentRefusal, readDocument } from './estimate.ts';
import {
  type DocumentRow,
  getDocument,
  isInFlight,
  selectDocument,
  selectDocumentByKey,
  unknownDocument,
} from './jobs.ts';
import { runDocument } from './run-document.ts';
import type { DocumentForm, DocumentJob } from './schema.ts';
import { bytesToStore, checkForm, fingerprintOfForm } from './submission-form.ts';
import { isWaiting } from './waiting.ts';

/** The job of a submission: a new job, or the job of an earlier submission with the same key. */
export interface SubmittedDocument extends KeyedResult {
  tenantId: string;
  documentId: string;
  inFlight: boolean;
}

/**
 * Accepts a document: checks the form, whether a job with the idempotency key exists, payment and the file. Then it
 * stores the file and queues the job. With `wait`, the job runs in this process, and its failure is thrown. If the job
 * is not completed at the request's deadline, it continues in the queue.
 * @throws AppError 400, 401, 402, 409, 413, 415, 422, 429, 507 before a job exists; with `wait` also 429, 503 and 504
 */
export function submitDocument(
  services: RunServices,
  withTenant: WithTenant,
  form: DocumentForm,
  origin: Origin,
): Promise<SubmittedDocument> {
  return withRequestDeadline(services.settings, (deadline) =>
    submitUntil(deadline.signal, services, withTenant, form, {
      ...origin,
      signal: AbortSignal.any([origin.signal, deadline.signal]),
    }),
  );
}

async function submitUntil(
  deadline: AbortSignal,
  services: RunServices,
  withTenant: WithTenant,
  form: DocumentForm,
  origin: Origin,
): Promise<SubmittedDocument> {
  const { via, signal } = origin;
  // POST /api/translations checks the form before it authenticates the caller.
  const checkedFirst = via === 'translations' ? checkForm(form) : undefined;
  // Authenticate the caller before returning validation errors. Make all other checks before reading the file, which is
  // expensive.
  const { tenant, submittedBy, checked, known, destination } = await withTenant(async (tx, principal) => {
    const checked = checkedFirst ?? checkForm(form);
    const { tenant } = principal;
    const submittedBy = submitterOf(principal);
    const key = checked.request.idempotency_key;
    const known = key === null ? undefined : await selectDocumentByKey(tx, tenant.id, key);
    if (known) return { tenant, submittedBy, checked, known };
    // The number of characters is not known yet: the stage `admit` checks again.
    const refusal = await findDocumentRefusal(tx, services, principal, 1);
    if (refusal) throw refusal;
    const destination = await destinationIn(tx, services, tenant.id);
    if (destination.provider === 'platform')
      await expectRoom(tx, services.settings, tenant.id, bytesToStore(checked));
    return { tenant, submittedBy, checked, destination };
  });
  const key = checked.request.idempotency_key;
  const fingerprint = key === null ? null : await fingerprintOfForm(checked);
  const { wait } = checked;
  if (known) return replay(services, known, { wait, fingerprint, signal, deadline });

  const make = async () => {
    if (checked.limits.maxCharacters !== null) {
      const { billableChars } = await readDocument(services, tenant.id, checked, origin);
      const tooMuch = refuseByMaximum(checked.limits, billableChars);
      if (tooMuch) throw tooMuch;
    }
    return createJob(services, { tenant, submittedBy, form: checked, fingerprint, destination, origin });
  };
  const made =
    key === null
      ? await make()
      : await submissions.run(`${tenant.id} ${key}`, async (waited) => {
          const known = waited && (await findByKey(services, tenant.id, key));
          return known ? { row: known, isNew: false } : make();
        });
  if (!made.isNew) return replay(services, made.row, { wait, fingerprint, signal, deadline });
  const { documentId } = made.row;
  const submitted = { tenantId: tenant.id, documentId, replayed: false, differs: false };
  if (!wait) return { ...submitted, inFlight: true };
  const run = services.backgroundWork.track(
    runDocument(services, tenant.id, documentId, { inlineUntil: deadline }),
  );
  const failure = await Promise.race([run, aborted(deadline)]);
  if (failure) throw failure;
  if (deadline.aborted)
    run.catch((error: unknown) =>
      services.log.error(
        { document_id: documentId, error: describeForLog(error) },
        'a document could not be run',
      ),
    );
  // When this process stops, and at the deadline, the rest of the job is left to another worker.
  const row = await services.database.inTenant(tenant.id, (tx) => selectDocument(tx, tenant.id, documentId));
  return { ...submitted, inFlight: row !== undefined && isInFlight(row) };
}

/** Resolves when the signal aborts.  ⟶ function aborted(signal: AbortSignal): Promise<undefined> { */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/**
 * If several requests with the same key arrive at the same time, they run one after another. Otherwise each would have
 * its file checked, and most would be rejected for lack of capacity. Between processes, the unique key decides.
 */
const submissions = new KeyedSequence();

function findByKey({ database }: Pick<Services, 'database'>, tenantId: string, key: string) {
  return database.inTenant(tenantId, (tx) => selectDocumentByKey(tx, tenantId, key));
}

/** Milliseconds between two reads of a job that runs in another process. */
const lookEvery = 500;

/**
 * Returns the existing job for a request that was sent again, in any status. With `wait`, returns when the job has
 * ended or waits for an outage to pass, at the deadline, or when this process stops.
 */
async function replay(
  { database, backgroundWork }: Pick<Services, 'backgroundWork' | 'database'>,
  known: DocumentRow,
  {
    wait,
    fingerprint,
    signal,
    deadline,
  }: { wait: boolean; fingerprint: Uint8Array | null; signal: AbortSignal; deadline: AbortSignal },
): Promise<SubmittedDocument> {
  const { tenantId, documentId } = known;
  const differs = requestDiffers(known.requestFingerprint, fingerprint);
  let row: DocumentRow | undefined = known;
  while (wait && row && isInFlight(row) && !isWaiting(row) && !backgroundWork.stopping.aborted) {
    await delay(lookEvery, undefined, { signal }).catch((error: unknown) => {
      if (!deadline.aborted) throw error;
    });
    if (deadline.aborted) break;
    row = await database.inTenant(tenantId, (tx) => selectDocument(tx, tenantId, documentId));
  }
  if (!row) throw unknownDocument();
  return { tenantId, documentId, replayed: true, differs, inFlight: isInFlight(row) };
}

/** The job of a submission as its sender may see it.  ⟶ export async function readSubmittedDocument( */
export async function readSubmittedDocument(
  { database }: Pick<Services, 'database'>,
  { tenantId, documentId, differs }: SubmittedDocument,
  audience: { operator: boolean },
): Promise<DocumentJob> {
  const job = await database.inTenant(tenantId, (tx) => getDocument(tx, tenantId, documentId, audience));
  return differs ? withDifferingRequest(job) : job;
}
