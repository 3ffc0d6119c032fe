import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readAllowance } from '#server/billing/metering/usage-summary.ts';
import { type AppError, errorTable } from '#server/errors.ts';
import { includable } from '#server/formats/selection.ts';
import { warnings } from '#server/http/warnings.ts';
import type { Settings } from '#server/settings.ts';
import { figures, share } from './figures.ts';

export const translationEstimate = z
  .object({
    dry_run: z.literal(true).describe('Always true.'),
    jobs: z.int().describe('The number of jobs that the request would run.'),
    existing_jobs: z
      .int()
      .describe('The number of jobs that already exist for the idempotency key. They are not counted below.'),
    source_lang: z.string().describe('The source language, as sent or detected.'),
    source_lang_detection: z
      .object({
        language: z.string().describe('The detected language.'),
        confidence: z.number().describe('The confidence, from 0 to 1.'),
      })
      .nullable()
      .describe(
        'The detection of the source language of the first text; null if the request names the language.',
      ),
    ...figures,
    kept: share
      .optional()
      .describe(
        'Only with `update_of`: the segments that keep the translations of the earlier document. They are in no other field.',
      ),
    review: z
      .object({
        jobs: z.int().describe('The number of jobs that a rule sends to review, whatever their quality.'),
        reasons: z.array(z.string()).describe('The rules, as readable sentences.'),
      })
      .describe(
        'The reviews that are known in advance. Other translations may need a review for their quality.',
      ),
    allowance: z
      .object({
        limit: z.int().describe('The billable characters of the current window.'),
        used: z.int().describe('The used characters.'),
        remaining: z.int().describe('The characters that new jobs may use.'),
      })
      .describe('The allowance of the workspace, without this request.'),
    refusal: z
      .object({
        status: z.int().describe('The status that the request would get.'),
        detail: z.string().describe('The readable reason.'),
      })
      .nullable()
      .describe(
        'The reason for which the request would be rejected now, such as a used-up allowance; otherwise null.',
      ),
    proposed: z
      .object({
        include: z
          .array(z.enum(includable))
          .describe('Values for `include`: texts of the file that stay by default.'),
        exclude_columns: z
          .array(z.string())
          .describe('Values for `exclude_columns`: columns that look like keys.'),
      })
      .optional()
      .describe('For documents: fields that fit the file and that the request does not have.'),
    warnings,
  })
  .meta({
    id: 'TranslationEstimate',
    description: 'The response to a request with `dry_run`: the work and its price. It has no effect.',
  });

export type TranslationEstimate = z.infer<typeof translationEstimate>;

/** Reads the field `allowance` of an estimate. */
export async function readEstimateAllowance(
  tx: Tx,
  tenantId: string,
  settings: Settings,
): Promise<TranslationEstimate['allowance']> {
  const { limit, used, remaining } = (await readAllowance(tx, tenantId, settings)).allowance;
  return { limit, used, remaining };
}

/** Returns the field `refusal` of an estimate. */
export function refusalView(refusal: AppError | null): TranslationEstimate['refusal'] {
  return refusal && { status: errorTable[refusal.code].status, detail: refusal.message };
}
