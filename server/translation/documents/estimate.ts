import type { Tx } from '#db/client.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Segment } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { withRequestDeadline } from '#server/http/request-deadline.ts';
import type { Warning } from '#server/http/warnings.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { expectRoom } from '#server/storage/usage.ts';
import {
  type EstimatedText,
  leverageTexts,
  readEstimateAllowance,
  refusalView,
  type TranslationEstimate,
} from '#server/translation/core/estimate.ts';
import type { SourceDetection } from '#server/translation/core/intake/source-language.ts';
import { refuseByMaximum } from '#server/translation/core/intake/submission-limits.ts';
import { requestOfText } from '#server/translation/core/pipeline/group.ts';
import { checkSource, formWarnings, type Origin } from './create-job.ts';
import type { RunServices } from './document-run.ts';
import { requireEarlier, selectKnownKeys } from './earlier-document.ts';
import { readKept } from './existing-target.ts';
import { extractFile, fileRefusal } from './file-work.ts';
import { groupRequestOf, selectDocumentByKey } from './jobs.ts';
import type { RenderServices } from './rendering.ts';
import type { DocumentForm } from './schema.ts';
import { selectionOf } from './selection-fields.ts';
import { repeatedText, sourceKeyOf } from './stages/extract.ts';
import { bytesToStore, type CheckedForm, checkForm } from './submission-form.ts';

/**
 * Estimates the work and the price of a document: reads its texts and looks up their matches. Makes the checks of a
 * submission, but those that may change until it is sent, such as the allowance, are reported and not thrown. Stores
 * nothing.
 * @throws AppError 400, 401, 413, 415, 422, 429, 503
 */
export function estimateDocument(
  services: RunServices,
  withTenant: WithTenant,
  form: DocumentForm,
  { via, signal, unknownFields }: Origin,
): Promise<TranslationEstimate> {
  const checkedFirst = via === 'translations' ? checkForm(form) : undefined;
  return withRequestDeadline(services.settings, async (deadline) => {
    const scope = { signal: AbortSignal.any([signal, deadline.signal]) };
    const { principal, checked, known } = await withTenant(async (tx, principal) => {
      const checked = checkedFirst ?? checkForm(form);
      const key = checked.request.idempotency_key;
      const known = key === null ? undefined : await selectDocumentByKey(tx, principal.tenant.id, key);
      return { principal, checked, known };
    });
    const tenantId = principal.tenant.id;
    const { source_lang, detection, texts, billableChars, kept, warnings } = known
      ? { ...checked.request, detection: null, texts: [], billableChars: 0, kept: undefined, warnings: [] }
      : await readDocument(services, tenantId, checked, scope);
    const leveraged = await leverageTexts(services, { tenantId, ...scope }, texts);
    const { allowance, refusal } = await withTenant(async (tx) => ({
      allowance: await readEstimateAllowance(tx, tenantId, services.settings),
      refusal: known
        ? null
        : (refuseByMaximum(checked.limits, billableChars) ??
          (await findSubmissionRefusal(tx, services, principal, checked, billableChars))),
    }));
    const { target_lang } = checked.request;
    return {
      dry_run: true,
      jobs: known ? 0 : 1,
      existing_jobs: known ? 1 : 0,
      source_lang,
      source_lang_detection: detection,
      ...leveraged,
      ...(kept && { kept }),
      billable_characters: billableChars,
      // Nothing in the request of a document requires a review.
      review: { jobs: 0, reasons: [] },
      allowance,
      refusal: refusalView(refusal),
      warnings: [
        ...formWarnings(unknownFields, { source_lang, target_lang, isDetected: detection !== null }),
        ...warnings,
      ],
    };
  });
}

/** The texts of a document that has not been submitted yet. */
interface ReadDocument {
  source_lang: string;
  detection: SourceDetection | null;
  texts: EstimatedText[];
  billableChars: number;
  /** The texts that keep the translations of an earlier document; absent if the request names none. */
  kept?: NonNullable<TranslationEstimate['kept']>;
  /** About the texts of an existing translation. */
  warnings: Warning[];
}

/**
 * Reads the texts of a document, as a job would. Nothing is stored.
 * @throws AppError 400 for an invalid file, 422 if the language cannot be detected, 429 or 503 if too many files are
 *   being read
 */
export async function readDocument(
  services: RenderServices & Pick<Services, 'settings'>,
  tenantId: string,
  { file, format, request, existing }: CheckedForm,
  { signal }: { signal: AbortSignal },
): Promise<ReadDocument> {
  const payload = { format, bytes: file.bytes, selection: selectionOf(request) };
  const scope = { tenantId, signal };
  const { source_lang, detection } = await checkSource(services, payload, request, scope);
  const languages = { sourceLanguage: source_lang, targetLanguage: request.target_lang };
  // The corrections of the earlier document do not change which texts are translated.
  const { update_of: earlierId, ...withoutEarlier } = request;
  const merged = await readKept(
    services,
    { file, format, request: withoutEarlier, existing },
    languages,
    scope,
  );
  const kept = merged?.kept;
  const { segments: all } = await extractFile(services, { ...payload, languages, kept }, scope).catch(
    (error: unknown) => {
      throw fileRefusal(error);
    },
  );
  const known =
    earlierId === undefined
      ? null
      : await findKept(services, tenantId, earlierId, { ...request, source_lang }, all);
  const segments = known ? all.filter((segment) => !known.has(sourceKeyOf(segment))) : all;
  const ofAll = groupRequestOf({ ...request, source_lang });
  const texts = segments.map((segment) => ({
    request: requestOfText(ofAll, segment),
    characters: countCodePoints(plainText(segment.source)),
    repeatKey: repeatedText(segment),
    hasVariant: segment.variant !== undefined,
  }));
  const characters = texts.reduce((sum, text) => sum + text.characters, 0);
  const { DENSE_SCRIPT_WEIGHT: weight } = services.settings;
  const billableChars = weighCharacters(characters, source_lang, request.target_lang, weight);
  const earlier = known && {
    segments: all.length - segments.length,
    characters: all.reduce((sum, { source }) => sum + countCodePoints(plainText(source)), -characters),
  };
  return {
    ...{ source_lang, detection, texts, billableChars },
    ...(earlier && { kept: earlier }),
    warnings: merged?.warnings ?? [],
  };
}

/**
 * Returns the keys of the segments that keep the translation of an earlier document.
 * @throws AppError 400 if this document cannot be used
 */
function findKept(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  earlierId: string,
  request: Parameters<typeof requireEarlier>[2],
  segments: readonly Segment[],
): Promise<Set<string>> {
  return database.inTenant(tenantId, async (tx) => {
    await requireEarlier(tx, tenantId, request);
    return selectKnownKeys(tx, tenantId, earlierId, segments.map(sourceKeyOf));
  });
}

/**
 * Returns the error that a document would get for payment or allowance; null if it may start. If billing is enabled,
 * documents require a subscription, because the trial does not cover them.
 * @param chars billable characters
 */
export async function findDocumentRefusal(
  tx: Tx,
  { settings }: Pick<Services, 'settings'>,
  { tenant, kind: credential }: Principal,
  chars: number,
): Promise<AppError | null> {
  const billed = { tenantId: tenant.id, tenant: await readBilledTenant(tx, settings) };
  return findRefusal(tx, settings, billed, { kind: 'document', credential, chars });
}

/** Returns the error that a submission would get for payment, allowance or storage; null if it would be accepted. */
async function findSubmissionRefusal(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
  principal: Principal,
  checked: CheckedForm,
  billableChars: number,
): Promise<AppError | null> {
  const refusal = await findDocumentRefusal(tx, services, principal, Math.max(billableChars, 1));
  if (refusal) return refusal;
  const { id } = principal.tenant;
  try {
    const { provider } = await destinationIn(tx, services, id);
    if (provider === 'platform') await expectRoom(tx, services.settings, id, bytesToStore(checked));
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
