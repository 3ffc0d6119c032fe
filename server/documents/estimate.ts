import { AppError } from '#server/errors.ts';
import { startDeadline } from '#server/http/request-limits.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { takeTurn } from '#server/platform/sandbox-errors.ts';
import {
  readEstimateAllowance,
  refusalView,
  type TranslationEstimate,
} from '#server/translation/estimate.ts';
import { noFigures } from '#server/translation/figures.ts';
import { refuseByMaximum } from '#server/translation/intake/submission-limits.ts';
import type { RunServices } from './document-run.ts';
import { readKept } from './existing-target.ts';
import { checkSource, countTexts, readTexts } from './source-file.ts';
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
  const read = known
    ? { request: form.request, detection: null, warnings: [], counted: noFigures(), proposed: undefined }
    : await takeTurn(services.fileWork, scope, () => countUnsent(services, { form, earlier }, scope));
  const { request, detection, warnings, counted, proposed } = read;
  const { unchanged, repetitions_across: _, ...figures } = counted;
  const { billable_characters: billableChars } = figures;
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
    ...figures,
    ...(!known && request.update_of !== undefined && { kept: unchanged }),
    ...(proposed && { proposed }),
    // Nothing in the request of a document requires a review.
    review: { jobs: 0, reasons: [] },
    allowance,
    refusal: refusalView(refusal),
    warnings: [...formWarnings(request, detection, sender.unknownFields), ...warnings],
  };
}

/** Reads and counts a document that has not been submitted yet. */
async function countUnsent(
  services: RunServices,
  submission: Pick<Submission, 'earlier' | 'form'>,
  scope: TaskScope & { signal: AbortSignal },
) {
  const { form, detection } = await checkSource(services, submission, scope);
  // The corrections of the earlier document do not change which texts are translated.
  const { update_of: updateOf, ...request } = form.request;
  const { kept: existing, warnings } = await readKept(services, { ...form, request }, scope);
  const { texts, proposed } = await readTexts(services, form, existing, scope);
  const counted = await countTexts(services, scope, texts, { updateOf });
  return { request: form.request, detection, warnings, counted, proposed };
}

function asRefusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
