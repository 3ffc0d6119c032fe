import { z } from 'zod';
import { inlineContent, positionedSegment } from './positioned-segment.ts';

/** Maximum UTF-16 units of a translation that a reviewer saw: the engine's translation may be longer than a correction. */
export const maxSeenLength = 1_000_000;

/** Maximum number of repetitions in a response. */
export const maxReturned = 1000;

/** Why a reviewer confirms critical findings. */
export const confirmReason = z.object({
  code: z.enum(['check_is_wrong', 'client_wants_it', 'elsewhere_in_text']).describe('The kind of reason.'),
  note: z.string().trim().min(10).max(500).describe('The reason in words, 10 to 500 characters.'),
});

const savedSegment = z.object({
  position: z.int().min(0).max(1_000_000).describe('The position in the document, from 0.'),
  target_text: z.string().max(50_000).describe('The translation to store.'),
  target_content: inlineContent
    .optional()
    .describe(
      'The translation with its tags. Its text is stored instead of `target_text`. If omitted, the tags of the present translation are placed in `target_text`.',
    ),
  replaces: z
    .string()
    .max(maxSeenLength)
    .nullable()
    .meta({ description: 'the target_text that the reviewer saw; null without one' }),
  confirmed: z
    .boolean()
    .optional()
    .describe(
      '`true` confirms the segment, `false` withdraws its confirmation. If omitted, an unchanged text stays as it is; a new text is a draft.',
    ),
});

export const documentSaveInput = z.object({
  document_id: z.string().describe('The document.'),
  segments: z
    .array(savedSegment)
    .min(1)
    .max(1000)
    .refine((segments) => new Set(segments.map(({ position }) => position)).size === segments.length, {
      error: 'must not name a segment twice',
    })
    .describe('Either all are stored or none.'),
  repeat: z
    .boolean()
    .default(true)
    .describe('Whether other segments with the same source get the same translation.'),
  confirm_critical: z
    .boolean()
    .default(false)
    .describe(
      'Required, together with `reason`, to confirm segments with critical findings; otherwise 409 `critical_findings`.',
    ),
  reason: confirmReason.optional().describe('Why the segments with critical findings are confirmed.'),
  reviewer: z
    .string()
    .max(320)
    .nullish()
    .describe('Only for callers with an API key; otherwise the session determines the reviewer.'),
});

export const savedSegments = z.object({
  change_id: z.string().nullable().meta({
    description:
      'undoes what was stored. If nothing changed, as in a resend, the change that stored it; null without a single one',
  }),
  segments: z.array(positionedSegment).meta({
    description: `the named segments and the first ${maxReturned} repetitions in their current state, in reading order`,
  }),
  repeated: z
    .array(z.int())
    .describe('The positions of the segments that got the same translation or confirmation.'),
  updated_at: z.string().meta({ format: 'date-time', description: "the document's" }),
});

export type SaveInput = z.infer<typeof documentSaveInput>;
export type SavedSegments = z.infer<typeof savedSegments>;
