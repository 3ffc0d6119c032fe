import { z } from 'zod';
import type { Judgement, QualityIssue, Verification } from '../engine.ts';

/** Maximum issues of one response: more than a reviewer reads, or one repair can use. */
const maxIssues = 100;

const ranks = { critical: 0, major: 1, minor: 2 } as const satisfies Record<QualityIssue['severity'], number>;

/** Sorts the issues by severity, the worst first, and returns at most 100. */
export function worstIssues<Issue extends QualityIssue>(issues: readonly Issue[]): Issue[] {
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
  // The name of the dialect is left out: no endpoint needs it.
  const { $schema: _, ...jsonSchema }: Record<string, unknown> = z.toJSONSchema(schema, {
    target: 'draft-7',
  });
  return { schema, name, jsonSchema, inWords: inWords(name, jsonSchema) };
}

/**
 * Most endpoints require that the messages contain the word JSON if JSON mode is used. DeepSeek's documentation
 * writes it in small letters.
 */
const inWords = (name: string, schema: unknown) =>
  `Reply with one JSON object (application/json) and nothing else, without remarks and without a code fence. It matches \
this JSON Schema, called "${name}": ${JSON.stringify(schema)}`;

/*
 * The formats of all responses. Strict structured outputs require that every field is present, so fields are nullable
 * instead of optional. The schemas have no limits, because some endpoints reject them. A model writes the fields in
 * their order here, so reasons come before the decision. `refine` and `overwrite` do not change the JSON schema.
 */

const remark = () => z.string().overwrite(clipRemark);

const segmentId = () => z.number().describe('of the segment');

const translatedSegments = z.object({
  translations: z
    .array(
      z.object({
        id: segmentId(),
        text: z
          .string()
          .describe('its translation')
          .refine((text) => text.trim() !== ''),
      }),
    )
    .describe('one for each segment'),
});

/** One text for each segment id of the request. */
export type TranslatedSegments = z.infer<typeof translatedSegments>;

const issue = z
  .object({
    severity: z.enum(['minor', 'major', 'critical']),
    category: z.enum(['accuracy', 'fluency', 'terminology', 'style', 'locale']),
    span: remark()
      .nullable()
      .describe('the words concerned, as in the translation; if something is missing, as in the source'),
    explanation: remark().describe('what is wrong, in one or two English sentences'),
    suggestion: remark().nullable().describe('what to do'),
    replacement: z
      .string()
      .nullable()
      .default(null)
      .overwrite((text) => (text !== null && text.length > maxRemarkLength ? null : text))
      .describe('the exact text to put in the place of span, without quotation marks or remarks; else null'),
  })
  .overwrite((one) => {
    if (one.replacement === null) delete (one as Partial<typeof one>).replacement;
    return one;
  }) satisfies z.ZodType<QualityIssue>;

const judgement = z.object({
  issues: z.array(issue).describe('worst first; empty without fault').overwrite(worstIssues),
  summary: remark().describe('the result in one English sentence'),
  score: z
    .number()
    .describe('0 to 100')
    .overwrite((score) => Math.min(100, Math.max(0, score))),
}) satisfies z.ZodType<Judgement>;

const judgements = z.object({
  judgements: z
    // No one reads the summary of a segment.
    .array(judgement.omit({ summary: true }).extend({ id: segmentId() }))
    .describe('none for a faultless segment'),
  faultless: z.array(z.number()).describe('ids').default([]),
});

/** Each segment id of the request has a judgement, or is in `faultless`: a short response costs less. */
export type SegmentJudgements = z.infer<typeof judgements>;

const verification = judgement.extend({
  passed: z.boolean().describe('whether it can be published as it is'),
}) satisfies z.ZodType<Verification>;

const comparison = z.object({
  rationale: remark().describe('what decides, in one English sentence'),
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

/** The score of a segment that a judge only names as faultless, which are those from 98. */
const faultlessScore = 99;

/** Returns the judgements in the order of the ids 1 to `count`; undefined if an id is missing, repeated or unknown. */
export function readJudgements(
  { judgements, faultless }: SegmentJudgements,
  count: number,
): Judgement[] | undefined {
  if (judgements.length + faultless.length !== count) return undefined;
  const all = [...faultless.map((id) => ({ id, score: faultlessScore, issues: [] })), ...judgements];
  const byId = new Map(all.map(({ id, ...judgement }) => [id, { ...judgement, summary: '' }]));
  const ordered = Array.from({ length: count }, (_, index) => byId.get(index + 1));
  return ordered.every((judgement) => judgement !== undefined) ? ordered : undefined;
}
