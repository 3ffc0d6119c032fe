import { z } from 'zod';
import {
  describeLength,
  type LengthUnit,
  lengthIn,
  lengthUnitOf,
  lengthUnitsInWords,
  maxLimit,
} from '#server/formats/length-limit.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { idOf, marked } from './findings.ts';

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
 * The options of a translation that the model is told. A single text, a target of a batch and the form of a file have each
 * of these fields.
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

/** The maximum length of a translation; null without a limit. Without a unit, it is advice about characters. */
export interface TextLimit {
  maxLength: number | null;
  lengthUnit: LengthUnit | null;
}

/** Returns the limit of a stored text. */
export function limitOf(maxLength: number | null = null, unit: string | null = null): TextLimit {
  return { maxLength, lengthUnit: unit === null ? null : lengthUnitOf(unit) };
}

export function limitOfRequest({ max_length, length_unit }: TextRequest): TextLimit {
  return limitOf(max_length ?? null, length_unit ?? 'characters');
}

/** Returns the smallest limit in each unit: lengths in different units cannot be compared. */
export function smallestLimits(limits: readonly TextLimit[]): TextLimit[] {
  const smallest = new Map<TextLimit['lengthUnit'], TextLimit>();
  for (const limit of limits) {
    const known = smallest.get(limit.lengthUnit)?.maxLength ?? Number.POSITIVE_INFINITY;
    if (limit.maxLength !== null && limit.maxLength < known) smallest.set(limit.lengthUnit, limit);
  }
  return [...smallest.values()];
}

/**
 * Returns by how much a text exceeds its limit, and an issue if it does. A program cuts such a text, or does not accept it,
 * so the issue lowers the score like a forbidden word; for subtitles it does not.
 */
export async function checkLength(
  { maxLength, lengthUnit }: TextLimit,
  text: string | readonly string[],
): Promise<{ excess: number; issues: QualityIssue[] }> {
  if (maxLength === null) return { excess: 0, issues: [] };
  const unit = lengthUnit ?? 'characters';
  const length = await lengthIn(unit, text);
  if (length <= maxLength) return { excess: 0, issues: [] };
  const explanation = lengthUnit
    ? `The translation has ${describeLength(length, unit)}, and at most ${maxLength} are allowed.`
    : `the text has ${length - maxLength} characters more than the ${maxLength} that can be read`;
  const suggestion = `${lengthUnit ? 'Shorten' : 'shorten'} it to at most ${describeLength(maxLength, unit)}, and keep the meaning${lengthUnit ? '.' : ''}`;
  const severity = lengthUnit ? 'major' : 'minor';
  return {
    excess: length - maxLength,
    issues: [{ severity, category: 'style', span: null, explanation, suggestion }],
  };
}

/** The explanations of `checkLength`. */
const ofLength =
  /^(?:The translation has \d+ .+, and at most \d+ are allowed\.|the text has \d+ characters more than the \d+ that can be read)$/;

/**
 * Returns the findings of a text at a place with another limit, for example of a repetition, or of the text in a new
 * version of its file: those about the limits of other places are replaced by that of this place.
 * @returns `isUnseen`: the text exceeds the limit, and the given findings do not say so. Then it needs a review here,
 *   although a person may have confirmed it elsewhere. Advice needs none.
 */
export async function findingsAt<F extends QualityIssue>(
  limit: TextLimit,
  text: string,
  findings: readonly F[],
): Promise<{ findings: (F | QualityIssue)[]; isUnseen: boolean }> {
  const { issues } = await checkLength(limit, text);
  const ids = issues.map(idOf);
  const kept = findings.filter((one) => !ofLength.test(one.explanation) || ids.includes(idOf(one)));
  const unseen = marked(issues).filter((issue) => !kept.some((one) => idOf(one) === idOf(issue)));
  return { findings: [...kept, ...unseen], isUnseen: unseen.length > 0 && limit.lengthUnit !== null };
}
