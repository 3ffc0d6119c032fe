import { setTimeout as delay } from 'node:timers/promises';
import { submitterOf } from '#server/billing/metering/submitter.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type KeyedResult, requestDiffers, withDifferingRequest } from '#server/http/request-fingerprint.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { createJob } from './create-job.ts';
import type { RunServices } from './document-run.ts';
import { type DocumentRow, getDocument, isInFlight, selectDocument } from './jobs.ts';
import { runDocument } from './run-document.ts';
import type { DocumentJob } from './schema.ts';
import { findNamed, requireAdmission, type Sender, type Submission } from './submission.ts';
import { type CheckedForm, fingerprintOfForm } from './submission-form.ts';
import { isWaiting } from './waiting.ts';

/** The job of a submission: a new job, or the job of an earlier submission with the same key. */
interface SubmittedDocument extends KeyedResult {
  job: DocumentJob;
  inFlight: boolean;
}

/**
 * Accepts a document: checks whether a job with the idempotency key exists, payment and the file. Then it stores the
 * file and queues the job. With `wait`, the job runs in this process, and its failure is thrown. If the job is not
 * completed at the request's deadline, it continues in the queue.
 * @throws AppError 400, 401, 402, 409, 413, 422, 429, 507 before a job exists; with `wait` also 429, 503 and 504
 */
export async function submitDocument(
  services: RunServices,
  withTenant: WithTenant,
  sent: CheckedForm,
  sender: Sender,
  audience: { operator: boolean },
): Promise<SubmittedDocument> {
  using deadline = startDeadline(services.settings.REQUEST_DEADLINE_SECONDS);
  const signal = AbortSignal.any([sender.signal, deadline.signal]);
  // Make all other checks before reading the file, which is expensive.
  const { principal, known, earlier, destination, form } = await withTenant(async (tx, principal) => {
    const { known, earlier, form } = await findNamed(tx, principal.tenant.id, sent);
    if (known) return { principal, known, form };
    // The number of characters is not known yet: the stage `admit` checks again.
    const destination = await requireAdmission(tx, services, principal, form, 1);
    return { principal, known, earlier, destination, form };
  });
  const { tenant } = principal;
  const fingerprint = await fingerprintOfForm(form);
  const submittedBy = submitterOf(principal);
  const { row, isNew } = known
    ? { row: known, isNew: false }
    : await createOnce(tenant.id, form.request.idempotency_key, () =>
        createJob(services, {
          ...sender,
          signal,
          tenant,
          submittedBy,
          form,
          fingerprint,
          earlier,
          destination,
        }),
      );
  const { documentId } = row;
  if (form.wait)
    await (isNew
      ? runUntil(deadline.signal, services, row)
      : waitUntil(deadline.signal, services, row, signal));
  const job = await services.database.inTenant(tenant.id, (tx) =>
    getDocument(tx, tenant.id, documentId, audience),
  );
  const differs = !isNew && requestDiffers(row.requestFingerprint, fingerprint);
  return {
    job: differs ? withDifferingRequest(job) : job,
    replayed: !isNew,
    differs,
    inFlight: isInFlight(form.wait ? job : row),
  };
}

/**
 * Accepts a document without a pending request: like `submitDocument`, in a background task. The idempotency key of the
 * form makes a repeated call return the same document.
 * @throws AppError as `submitDocument`
 */
export async function submitInBackground(
  services: RunServices,
  by: { tenant: Submission['tenant']; submittedBy: string; credential: 'session' | 'api_key' },
  sent: CheckedForm,
  signal: AbortSignal,
): Promise<string> {
  const { tenant, submittedBy, credential } = by;
  const { known, ...found } = await services.database.inTenant(tenant.id, async (tx) => {
    const { known, earlier, form } = await findNamed(tx, tenant.id, sent);
    if (known) return { known };
    const destination = await requireAdmission(tx, services, { kind: credential, tenant }, form, 1);
    return { earlier, destination, form };
  });
  if (known) return known.documentId;
  const { destination, earlier, form } = found as Required<typeof found>;
  const fingerprint = await fingerprintOfForm(form);
  const { row } = await createOnce(tenant.id, form.request.idempotency_key, () =>
    createJob(services, {
      tenant,
      submittedBy,
      form,
      fingerprint,
      earlier,
      destination,
      signal,
      unknownFields: [],
    }),
  );
  return row.documentId;
}

/** The jobs that are being created, by tenant and idempotency key. */
const creating = new Map<string, Promise<{ row: DocumentRow }>>();

/**
 * Creates the job of an idempotency key. If several requests with the same key arrive at the same time, one creates the
 * job, and the others get it. Otherwise each would have its file checked, and most would be rejected for lack of
 * capacity. Between processes, the unique key decides.
 */
async function createOnce(
  tenantId: string,
  key: string | null,
  create: () => Promise<{ row: DocumentRow; isNew: boolean }>,
): Promise<{ row: DocumentRow; isNew: boolean }> {
  if (key === null) return create();
  const name = `${tenantId} ${key}`;
  for (let other = creating.get(name); other; other = creating.get(name)) {
    const made = await other.catch(() => undefined);
    if (made) return { row: made.row, isNew: false };
  }
  const own = create();
  creating.set(name, own);
  try {
    return await own;
  } finally {
    creating.delete(name);
  }
}

/**
 * Runs a new job until it ends. When this process stops, and at the deadline, the rest of the job is left to another
 * worker.
 * @throws AppError the failure of the job
 */
async function runUntil(
  deadline: AbortSignal,
  services: RunServices,
  { tenantId, documentId }: DocumentRow,
): Promise<void> {
  const run = services.backgroundWork.track(
    runDocument(services, tenantId, documentId, { inlineUntil: deadline }),
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
}

/** Resolves when the signal aborts. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Milliseconds between two reads of a job that runs in another process. */
const lookEvery = 500;

/** Waits until an existing job has ended or waits for an outage to pass, or this process stops. */
async function waitUntil(
  deadline: AbortSignal,
  { database, backgroundWork }: Pick<Services, 'backgroundWork' | 'database'>,
  known: DocumentRow,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, documentId } = known;
  let row: DocumentRow | undefined = known;
  while (row && isInFlight(row) && !isWaiting(row) && !backgroundWork.stopping.aborted) {
    await delay(lookEvery, undefined, { signal }).catch((error: unknown) => {
      if (!deadline.aborted) throw error;
    });
    if (deadline.aborted) return;
    row = await database.inTenant(tenantId, (tx) => selectDocument(tx, tenantId, documentId));
  }
}
