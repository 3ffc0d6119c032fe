import { z } from 'zod';
import { lengthUnitOf, lengthUnitsInWords, maxLimit } from '#server/formats/length-limit.ts';

/**
 * What is known about a text besides its words. A single text and an input of a batch have each of these fields. A stored
 * translation that is longer than the limit is not served.
 */
export const aboutText = {
  context: z
    .string()
    .max(2000)
    .nullish()
    .describe(
      'A note about the text for the model and the reviewer, such as the screen on which it appears: at most 2,000 characters. It is not translated.',
    ),
  max_length: z
    .int()
    .min(1)
    .max(maxLimit)
    .nullish()
    .describe(
      'The maximum length of the translation, in the unit `length_unit`. A longer translation is repaired; one that is still too long gets a major issue and requires a review with the default `min_quality_score`.',
    ),
  length_unit: z
    .string()
    .refine((unit) => lengthUnitOf(unit) !== null, `must be ${lengthUnitsInWords.replaceAll('`', '')}`)
    .nullish()
    .describe(`The unit of \`max_length\`: ${lengthUnitsInWords}. Default: \`characters\` (code points).`),
};

const option = z.string().max(1000).nullable().default(null);

/**
 * How a text is to be translated. A single text, a target of a batch and the form of a file have each of these fields,
 * and the model is told each.
 */
export const manner = {
  tone: option.describe(
    'The register, such as `formal` or `informal`. It changes only the formality and wording of the translation.',
  ),
  gender: option.describe('The grammatical gender to use if the target language requires one.'),
};

export type Manner = z.infer<z.ZodObject<typeof manner>>;

/** Returns the manner that some fields state. @param nameOf the name of a field of a single text in them */
export function readManner(stated: object, nameOf = (name: string) => name): Manner {
  const fields = stated as Record<string, string | null | undefined>;
  return Object.fromEntries(
    Object.keys(manner).map((name) => [name, fields[nameOf(name)] ?? null]),
  ) as Manner;
}

/**
 * A text to translate, with all fields of a request that affect its translation. The core does not depend on jobs or
 * documents.
 */
export interface TextRequest extends z.infer<z.ZodObject<typeof aboutText>>, Manner {
  source_text: string;
  /** Language code, see `languages.ts`. */
  source_lang: string;
  target_lang: string;
  domain: string | null;
  text_type: 'Plain' | 'Html' | null;
  metadata: Record<string, unknown>;
}
