import { z } from 'zod';
import type { Services } from '#server/context.ts';
import { originalText, type XliffContent } from '#server/formats/xliff/content.ts';
import type { ReadUnit } from '#server/formats/xliff/reader.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { getJob } from '#server/translation/texts/jobs.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';
import { isPublished } from '#server/translation/texts/tenant-view.ts';
import { rawBody } from '#server/trpc.ts';
import {
  readXliffBody,
  requireLanguages,
  requireVersion,
  textVersion,
  unitError,
} from '../../xliff-exchange.ts';
import { reviewJob } from '../decide.ts';
import { reviewInput } from '../schema.ts';
import { JobChanged } from '../text.ts';
import { readVersion, unitOfJob } from './export-jobs.ts';
import { codedTexts } from './text-codes.ts';

/** A review as XLIFF: the body is the XLIFF document, and the query contains the other fields. */
export const xliffReviewInput = z.object({
  job_id: reviewInput.shape.job_id,
  body: rawBody,
  action: z
    .enum(['save', 'approve'])
    .optional()
    .describe(
      'For a review with XLIFF. If omitted, the state of the segment in the file decides: `reviewed` and `final` approve the translation; other states save a draft.',
    ),
  reviewer: reviewInput.shape.reviewer,
  notes: reviewInput.shape.notes,
});

/**
 * Applies the review in an XLIFF document that `exportJobs` wrote and a reviewer has changed. Only the job's `<file>`
 * is read, so a client can send the document of a whole page for each of its jobs. The job does not change if its unit
 * has no translation, if the text is unchanged and the state does not approve it, or if the job is already published
 * with this text.
 * @throws AppError 400 if it is not XLIFF; 404; 409 conflict if the job has changed since the export; 422 if the file is for
 * another job, its
 *   source has changed, or a code of its target is unknown; and like `reviewJob`
 */
export async function reviewJobByXliff(
  services: Parameters<typeof reviewJob>[0] & Pick<Services, 'fileWork'>,
  withTenant: WithTenant,
  origin: Origin,
  { job_id, body, action: asked, reviewer, notes }: z.infer<typeof xliffReviewInput>,
  signal: AbortSignal,
): Promise<TranslationJob> {
  const { tenantId, job } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    job: await getJob(tx, tenant.id, job_id),
  }));
  const file = await readXliffBody(services, { tenantId, signal }, body, job_id);
  const { source_lang: sourceLang, target_lang: targetLang, source_text: source } = job.request;
  requireLanguages(file, { sourceLang, targetLang });
  const [unit, ...others] = file.units;
  const odd = unit?.id === unitOfJob ? others[0] : unit;
  if (odd) throw unitError('unprocessable', odd, 'the job does not have this unit');
  if (!unit?.target) return job;
  const codes = codedTexts(job);
  const ofUnit = originalText(withKnownData(unit, unit.source, codes.source));
  const seen = readVersion(requireVersion(unit, { ofUnit, present: source }));
  const text = textOf(unit, withKnownData(unit, unit.target, [...codes.source, ...(codes.target ?? [])]));
  const action = asked ?? (unit.state === 'reviewed' || unit.state === 'final' ? 'approve' : 'save');
  const isPresent = text === job.final_translation;
  if (asked === undefined && action === 'save' && (isPresent || textVersion(text) === seen.text)) return job;
  // The request was sent again after an interruption: the review is already applied.
  if (action === 'approve' && isPresent && isPublished(job)) return job;
  try {
    const review = { action, reviewer, notes, final_translation: text };
    return await reviewJob(services, withTenant, origin, job_id, review, { seen: seen.updatedAt });
  } catch (error) {
    if (!(error instanceof JobChanged)) throw error;
    throw unitError('conflict', unit, `${error.message}; export it again, then repeat the change`);
  }
}

/**
 * Returns the content with the data of the source's codes. The codes are identified by ID, because a tool may have
 * dropped their data.
 * @throws AppError 422 for an unknown code without data
 */
function withKnownData(unit: ReadUnit, content: XliffContent, codes: XliffContent): XliffContent {
  const known = new Map(codes.flatMap((item) => (typeof item === 'string' ? [] : [[item.id, item.data]])));
  return content.map((item) => {
    if (typeof item === 'string' || item.data !== '') return item;
    const data = known.get(item.id);
    if (data !== undefined) return { ...item, data };
    const id = JSON.stringify(item.id.slice(0, 100));
    throw unitError('unprocessable', unit, `its inline code ${id} has no data and was not in the export`);
  });
}

/** @throws AppError 422 for a text that a review cannot publish */
function textOf(unit: ReadUnit, target: XliffContent): string {
  const text = originalText(target);
  const { error } = reviewInput.shape.final_translation.safeParse(text);
  if (error) throw unitError('unprocessable', unit, `its target ${error.issues[0]?.message ?? 'is invalid'}`);
  return text;
}
