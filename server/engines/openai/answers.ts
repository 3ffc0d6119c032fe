import { z } from 'zod';
import type { Judgement, QualityIssue, Verification } from '../engine.ts';

/** The shape of an answer: what the model is held to, and what its answer is read with. */
export interface AnswerFormat<T> {
  schema: z.ZodType<T>;
  /** `response_format` of a chat completions request. */
  responseFormat: ReturnType<typeof structuredOutput>;
}

function structuredOutput(name: string, schema: z.ZodType) {
  const jsonSchema = z.toJSONSchema(schema, { target: 'draft-7' });
  return { type: 'json_schema' as const, json_schema: { name, strict: true, schema: jsonSchema } };
}

// Made once: deriving the schema takes a good part of a millisecond.
const answerFormat = <T>(name: string, schema: z.ZodType<T>): AnswerFormat<T> => ({
  schema,
  responseFormat: structuredOutput(name, schema),
});

/*
 * The answers as strict structured outputs have them: every field present, nullable rather than optional, no limits
 * in the schema (some endpoints refuse those). The order of the fields is the order in which a model writes: it lists
 * its findings before it puts a number on them. `refine` and `overwrite` leave no mark in the JSON schema.
 */

const translation = z.object({
  translation: z
    .string()
    .describe('the whole translation of source_text')
    .refine((text) => text.trim() !== ''),
});

const issue = z.object({
  severity: z.enum(['minor', 'major', 'critical']),
  category: z.enum(['accuracy', 'fluency', 'terminology', 'style', 'locale']),
  span: z.string().nullable().describe('the words of the translation it is about, null for what is missing'),
  explanation: z.string().describe('what is wrong and why, in English, in one or two sentences'),
  suggestion: z.string().nullable().describe('what should stand there instead, in the target language'),
}) satisfies z.ZodType<QualityIssue>;

const judgement = z.object({
  issues: z.array(issue).describe('the worst first; empty for a translation without fault'),
  summary: z.string().describe('the finding in one or two English sentences'),
  score: z
    .number()
    .describe('0 to 100')
    .overwrite((score) => Math.min(100, Math.max(0, score))),
}) satisfies z.ZodType<Judgement>;

const verification = judgement.extend({
  passed: z.boolean().describe('whether the translation can be published as it stands'),
}) satisfies z.ZodType<Verification>;

export const translationFormat = answerFormat('translation', translation);
export const assessmentFormat = answerFormat<Judgement>('assessment', judgement);
export const verificationFormat = answerFormat<Verification>('verification', verification);
