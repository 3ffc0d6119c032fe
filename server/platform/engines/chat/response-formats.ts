import { z } from 'zod';
import type { Judgement, QualityIssue, Verification } from '../engine.ts';

/** Maximum issues of one response: more than a reviewer reads, or one repair can use. */
const maxIssues = 100;

const ranks = { critical: 0, major: 1, minor: 2 } as const satisfies Record<QualityIssue['severity'], number>;

/** Sorts the issues by severity, the worst first, and returns at most 100. */
export function worstIssues(issues: readonly QualityIssue[]): QualityIssue[] {
  return issues.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]).slice(0, maxIssues);
}

/** Maximum UTF-16 units of a judge's remark. Longer remarks are cut. */
const maxRemarkLength = 2000;

export function clipRemark(text: string): string {
  return text.length <= maxRemarkLength ? text : text.slice(0, maxRemarkLength).toWellFormed();
}

/** The format of a response. The model is asked for it, and the response is checked against it. */
export interface ResponseFormat<T> {
  schema: z.ZodType<T>;
  /** The name of the format, in word characters. */
  name: string;
  /** For endpoints that enforce a schema. */
  jsonSchema: Record<string, unknown>;
  /** A description of the format for the instructions, for endpoints that do not enforce a schema. */
  inWords: string;
}

// Called once for each format, because deriving the schema takes almost a millisecond.
function responseFormat<T>(name: string, schema: z.ZodType<T>): ResponseFormat<T> {
  const jsonSchema: Record<string, unknown> = z.toJSONSchema(schema, { target: 'draft-7' });
  return { schema, name, jsonSchema, inWords: inWords(name, jsonSchema) };
}

/**
 * Most endpoints require that the messages contain the word JSON if JSON mode is used. DeepSeek's documentation
 * writes it in small letters.
 */
const inWords = (name: string, schema: unknown) =>
  `The reply: one JSON object (application/json) and nothing else, without remarks and without a code fence. It fits \
this JSON Schema, called "${name}": ${JSON.stringify(schema)}`;

/*
 * The formats of all responses. Strict structured outputs require that every field is present, so fields are nullable
 * instead of optional. The schemas have no limits, because some endpoints reject them. A model writes the fields in
 * their order here, so reasons come before the decision. `refine` and `overwrite` do not change the JSON schema.
 */

const remark = () => z.string().overwrite(clipRemark);

const translatedSegments = z.object({
  translations: z
    .array(
      z.object({
        id: z.number().describe('the id of the segment'),
        text: z
          .string()
          .describe('its whole translation')
          .refine((text) => text.trim() !== ''),
      }),
    )
    .describe('one for each segment, in their order'),
});

/** One text for each segment id of the request. */
export type TranslatedSegments = z.infer<typeof translatedSegments>;

const issue = z.object({
  severity: z.enum(['minor', 'major', 'critical']),
  category: z.enum(['accuracy', 'fluency', 'terminology', 'style', 'locale']),
  span: remark()
    .nullable()
    .describe('the words of the translation it is about; for what is missing, those of the source'),
  explanation: remark().describe('what is wrong and why, in English, in one or two sentences'),
  suggestion: remark().nullable().describe('what should stand there instead, in the target language'),
}) satisfies z.ZodType<QualityIssue>;

const judgement = z.object({
  issues: z
    .array(issue)
    .describe('the worst first; empty for a translation without fault')
    .overwrite(worstIssues),
  summary: remark().describe('the finding in one or two English sentences'),
  score: z
    .number()
    .describe('0 to 100')
    .overwrite((score) => Math.min(100, Math.max(0, score))),
}) satisfies z.ZodType<Judgement>;

const judgements = z.object({
  judgements: z
    .array(judgement.extend({ id: z.number().describe('the id of the segment') }))
    .describe('one for each segment, in their order'),
});

/** One judgement for each segment id of the request. */
export type SegmentJudgements = z.infer<typeof judgements>;

const verification = judgement.extend({
  passed: z.boolean().describe('whether the translation can be published as it stands'),
}) satisfies z.ZodType<Verification>;

const comparison = z.object({
  rationale: remark().describe('what decides, in one or two English sentences'),
  winner: z.number().describe('the id of the best candidate'),
});

/** `winner` is the candidate's id in the request. */
export type NamedWinner = z.infer<typeof comparison>;

export const translationFormat = responseFormat('translation', translatedSegments);
export const repairFormat = responseFormat('repair', translatedSegments);
export const assessmentFormat = responseFormat<Judgement>('assessment', judgement);
export const segmentAssessmentFormat = responseFormat('segment_assessment', judgements);
export const verificationFormat = responseFormat<Verification>('verification', verification);
export const comparisonFormat = responseFormat('comparison', comparison);

/**
 * Maximum UTF-16 units of all texts in a response. A request contains at most 6,000 of the source, so no translation
 * is longer.
 */
const maxTextLength = 200_000;

/**
 * Returns the texts in the order of the ids 1 to `count`; undefined if an id is missing, repeated or unknown, or if
 * the texts are too long in total.
 */
export function readSegments({ translations }: TranslatedSegments, count: number): string[] | undefined {
  if (translations.length !== count) return undefined;
  if (translations.reduce((sum, { text }) => sum + text.length, 0) > maxTextLength) return undefined;
  const byId = new Map(translations.map(({ id, text }) => [id, text]));
  const texts = Array.from({ length: count }, (_, index) => byId.get(index + 1));
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** Returns the judgements in the order of the ids 1 to `count`; undefined if an id is missing, repeated or unknown. */
export function readJudgements({ judgements }: SegmentJudgements, count: number): Judgement[] | undefined {
  if (judgements.length !== count) return undefined;
  const byId = new Map(judgements.map(({ id, ...judgement }) => [id, judgement]));
  const ordered = Array.from({ length: count }, (_, index) => byId.get(index + 1));
  return ordered.every((judgement) => judgement !== undefined) ? ordered : undefined;
}
