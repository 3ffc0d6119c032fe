import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';
import { measureEdit, measureEditAtOnce } from '../edit-distance.ts';
import { addFigures } from '../figures.ts';

/** A review that closed a job. */
export interface ClosingReview {
  /** `edited`: approved with a text that differs from the machine translation. */
  decision: 'approved' | 'edited' | 'rejected';
  /** The machine translation and the published text; null for a rejection, or if there is no machine translation. */
  texts: { before: string; after: string } | null;
}

/** Texts of a review that are too long to compare during its transaction. */
export interface Uncompared {
  member: { tenantId: string; userId: string };
  before: string;
  after: string;
  language: string;
}

/**
 * Counts a member's closing review in the transaction of the review, so that a review that is sent repeatedly is
 * counted once.
 * @param by the member; `userId` is null for an API key, which is not counted
 * @returns the input for `compareLater`; undefined if nothing is left to compare
 */
export async function countReview(
  tx: Tx,
  by: { tenantId: string; userId: string | null; workedMs: number | undefined },
  { request }: TranslationJob,
  review: ClosingReview | undefined,
): Promise<Uncompared | undefined> {
  const { tenantId, userId, workedMs } = by;
  if (userId === null || !review) return undefined;
  const language = request.target_lang;
  // Compare HTML without its tags: they are not words.
  const readable = (text: string) => (request.text_type === 'Html' ? readBlocks(text).join('\n') : text);
  const texts = review.texts && {
    before: readable(review.texts.before),
    after: readable(review.texts.after),
  };
  const edit = texts ? measureEditAtOnce(texts.before, texts.after, language) : undefined;
  const member = { tenantId, userId };
  await addFigures(tx, member, { decision: review.decision, edit, workedMs });
  return texts && !edit ? { member, ...texts, language } : undefined;
}

/**
 * Compares long texts after their review is stored, and adds the figures. If the process dies before that, these texts
 * are not measured.
 */
export async function compareLater(
  { database, log }: Pick<Services, 'database' | 'log'>,
  { member, before, after, language }: Uncompared,
): Promise<void> {
  try {
    const edit = await measureEdit(before, after, language);
    if (edit) await database.inTenant(member.tenantId, (tx) => addFigures(tx, member, { edit }));
  } catch (error) {
    log.warn(
      { err: error, tenant_id: member.tenantId },
      'a reviewed text could not be compared with its machine translation',
    );
  }
}
