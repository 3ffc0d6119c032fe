import { z } from 'zod';

/** The meaning of each warning code. Codes may be added. */
const codes = {
  invalid_option: 'a metadata option has a wrong type or is out of range, and is ignored or limited',
  unknown_option: 'a metadata key is one typo away from an option, and has no effect',
  unknown_field: 'the API has no field of this name, so the field is ignored',
  same_language: 'source and target are the same language',
  source_language_mismatch: 'the source text is clearly not in the source language of the request',
  unregulated_domain: 'the domain is similar to one that requires a review, but does not require a review',
  edited_target_kept:
    'a text of the existing translation was edited, and its source has changed; the edited text is kept',
  edited_target_replaced:
    'a text of the existing translation had been edited, and its source has changed since; it is translated again',
  edited_target_removed:
    'a text of the existing translation was edited, and the source has no such text any longer; it is removed',
  idempotency_request_differs:
    'another request has used this idempotency key, and the response is the job of that request',
} as const;

const warning = z.object({
  code: z.string().describe(
    `${Object.entries(codes)
      .map(([code, about]) => `\`${code}\`: ${about}`)
      .join('. ')}. More values may be added.`,
  ),
  field: z
    .string()
    .nullable()
    .describe('The field of the request, such as `metadata.min_quality_score`; null if no field caused it.'),
  message: z.string().describe('A readable message that explains how to correct the request.'),
});

/** Notes for the caller about an accepted request. A warning never changes the status. */
export const warnings = z
  .array(warning)
  .describe('Warnings about the request; usually empty. The request was accepted despite them.');

export type Warning = z.infer<typeof warning>;

/**
 * Returns a warning with one of the codes.
 * @param field the request field that caused the warning; null if none did
 */
export function warningOf(code: keyof typeof codes, field: string | null, message: string): Warning {
  return { code, field, message };
}
