import { AppError } from '#server/errors.ts';
import { startDeadline } from '#server/http/request-deadline.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { takeTurn } from '#server/platform/sandbox-errors.ts';
import {
  leverageTexts,
  readEstimateAllowance,
  refusalView,
  type TranslationEstimate,
} from '#server/translation/estimate.ts';
import { refuseByMaximum } from '#server/translation/intake/submission-limits.ts';
import type { RunServices } from './document-run.ts';
import { readKept } from './existing-target.ts';
import { checkSource, readTexts } from './source-file.ts';
import { findNamed, requireAdmission, type Sender, type Submission } from './submission.ts';
import { type CheckedForm, formWarnings } from './submission-form.ts';

/**
 * Estimates the work and the price of a document: reads its texts and looks up their matches. Makes the checks of a
 * submission, but those that may change until it is sent, such as the allowance, are reported and not thrown. Stores
 * nothing.
 * @throws AppError 400, 401, 413, 415, 422, 429, 503
 */
export async function estimateDocument(
  services: RunServices,
  withTenant: WithTenant,
  sent: CheckedForm,
  sender: Sender,
): Promise<TranslationEstimate> {
  const { settings } = services;
  using deadline = startDeadline(settings.REQUEST_DEADLINE_SECONDS);
  const signal = AbortSignal.any([sender.signal, deadline.signal]);
  const { principal, known, earlier, form } = await withTenant(async (tx, principal) => ({
    principal,
    ...(await findNamed(tx, principal.tenant.id, sent)),
  }));
  const tenantId = principal.tenant.id;
  const scope = { tenantId, signal };
  const unsent = known
    ? {
        ...form,
        detection: null,
        texts: [],
        billableChars: 0,
        kept: undefined,
        proposed: undefined,
        warnings: [],
      }
    : null;
  const { leveraged, ...read } = await takeTurn(services.fileWork, scope, async () => {
    const read = unsent ?? (await readUnsent(services, { form, earlier }, scope));
    return { ...read, leveraged: await leverageTexts(services, scope, read.texts) };
  });
  const { request, detection, billableChars, kept, proposed, warnings } = read;
  const { allowance, refusal } = await withTenant(async (tx) => ({
    allowance: await readEstimateAllowance(tx, tenantId, settings),
    refusal: known
      ? null
      : (refuseByMaximum(form.limits, billableChars) ??
        (await requireAdmission(tx, services, principal, form, Math.max(billableChars, 1)).then(
          () => null,
          asRefusal,
        ))),
  }));
  return {
    dry_run: true,
    jobs: known ? 0 : 1,
    existing_jobs: known ? 1 : 0,
    source_lang: request.source_lang,
    source_lang_detection: detection,
    ...leveraged,
    ...(kept && { kept }),
    ...(proposed && { proposed }),
    billable_characters: billableChars,
    // Nothing in the request of a document requires a review.
    review: { jobs: 0, reasons: [] },
    allowance,
    refusal: refusalView(refusal),
    warnings: [...formWarnings(request, detection, sender.unknownFields), ...warnings],
  };
}

/** Reads a document that has not been submitted yet. */
async function readUnsent(
  services: RunServices,
  submission: Pick<Submission, 'earlier' | 'form'>,
  scope: TaskScope,
) {
  const { form, detection } = await checkSource(services, submission, scope);
  // The corrections of the earlier document do not change which texts are translated.
  const { update_of: _, ...request } = form.request;
  const { kept: existing, warnings } = await readKept(services, { ...form, request }, scope);
  const texts = await readTexts(services, form, existing, scope);
  return { request: form.request, detection, warnings, ...texts };
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
