import type { Tx } from '#db/client.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import { credentialOf } from '#server/billing/metering/submitter.ts';
import type { Services } from '#server/context.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { readTextRules } from '#server/language/text-rules/rules.ts';
import { type Destination, destinationIn } from '#server/storage/destination.ts';
import { expectRoom } from '#server/storage/usage.ts';
import { type DocumentRow, selectDocument, selectDocumentByKey } from './jobs.ts';
import { namesFor } from './selection-fields.ts';
import { bytesToStore, type CheckedForm } from './submission-form.ts';

/** The client that sent a form. */
export interface Sender {
  signal: AbortSignal;
  /** Fields of the form that the API does not have. */
  unknownFields: readonly string[];
}

/** A request for a new document job: its form and its sender have been checked. */
export interface Submission extends Sender {
  tenant: { id: string; name: string };
  /** See `submitterOf`. */
  submittedBy: string;
  form: CheckedForm;
  /** Fingerprint of the form; null without an idempotency key. */
  fingerprint: Uint8Array | null;
  /** The document of `update_of`, as it was when the request arrived. */
  earlier: DocumentRow | undefined;
  destination: Destination;
}

/** Adds the names of the transaction's workspace to a form: a job is read and written with the names of its request. */
export async function withNames(tx: Tx, form: CheckedForm): Promise<CheckedForm> {
  return { ...form, request: { ...form.request, ...namesFor(form.format, await readTextRules(tx)) } };
}

/**
 * Returns the documents that a form names: the one of its idempotency key, which is the result, or else the earlier
 * version of the file. Returns the form with the names of the workspace, too.
 */
export async function findNamed(
  tx: Tx,
  tenantId: string,
  sent: CheckedForm,
): Promise<{ known: DocumentRow | undefined; earlier: DocumentRow | undefined; form: CheckedForm }> {
  const { idempotency_key: key, update_of: earlierId } = sent.request;
  const known = key === null ? undefined : await selectDocumentByKey(tx, tenantId, key);
  const earlier =
    known || earlierId === undefined ? undefined : await selectDocument(tx, tenantId, earlierId);
  return { known, earlier, form: await withNames(tx, sent) };
}

/**
 * Makes the checks that do not need the file: payment, allowance and storage. If billing is enabled, documents require a
 * subscription, because the trial does not cover them.
 * @param chars billable characters
 * @returns the store of the document's files
 * @throws AppError 402, 409, 429, 507
 */
export async function requireAdmission(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
  principal: Pick<Principal, 'kind' | 'tenant'>,
  form: Pick<CheckedForm, 'existing' | 'file'>,
  chars: number,
): Promise<Destination> {
  const { settings } = services;
  const tenantId = principal.tenant.id;
  const billed = { tenantId, tenant: await readBilledTenant(tx, settings) };
  const refusal = await findRefusal(tx, settings, billed, {
    kind: 'document',
    credential: credentialOf(principal),
    chars,
  });
  if (refusal) throw refusal;
  const destination = await destinationIn(tx, services, tenantId);
  if (destination.provider === 'platform') await expectRoom(tx, settings, tenantId, bytesToStore(form));
  return destination;
}
