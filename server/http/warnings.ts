import { z } from 'zod';

/** What each code of a warning is about. More may come. */
const codes = {
  invalid_option: 'a metadata option has a wrong type or is out of range, and is ignored or limited',
  unknown_option: 'a metadata key is one typo away from an option, and has no effect',
  unknown_field: 'the request has a field that does not exist, which is ignored',
  same_language: 'source and target are the same language',
  source_language_mismatch: 'the source is plainly not in its stated language',
  unregulated_domain: 'the domain looks like one that requires a review, and does not',
  idempotency_request_differs: 'the key belongs to another request, whose job this is',
} as const;

const warning = z.object({
  code: z.string().describe(
    `${Object.entries(codes)
      .map(([code, about]) => `\`${code}\`: ${about}`)
      .join('. ')}. More values may come.`,
  ),
  field: z
    .string()
    .nullable()
    .describe(
      'The field of the request, such as `metadata.min_quality_score`; null if no field is to blame.',
    ),
  message: z.string().describe('The same in words, with what to do.'),
});

/** What a caller should know about a request that was accepted. Warnings change no status. */
export const warnings = z
  .array(warning)
  .describe('What to know about the request; empty if nothing. A warning changes nothing.');

export type Warning = z.infer<typeof warning>;

/** A warning with one of the codes. */
export function warningOf(code: keyof typeof codes, field: string | null, message: string): Warning {
  return { code, field, message };
}
