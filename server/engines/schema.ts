import { z } from 'zod';
import { ownKinds } from '#server/platform/engines/tenant-engine.ts';

const kind = z.enum(ownKinds, `must be ${ownKinds.join(', ')}`);

/** The engines that are language models. */
export const isModelKind = (of: (typeof ownKinds)[number]) => of === 'openai' || of === 'anthropic';

const name = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,100}$/, 'must be up to 100 printable ASCII characters without spaces');

/** The parts of an engine that need no test. */
const limits = {
  concurrency: z
    .int()
    .min(1)
    .max(64)
    .describe('The maximum number of requests at a time, in each process of the service.'),
  fallback: z
    .boolean()
    .describe(
      'Whether the engines of the deployment are asked after a failure. If false, no text to translate reaches them.',
    ),
};

export const engineKey = z
  .object({
    kind: kind.describe('The service whose key this is.'),
    api_key: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{16,500}$/, 'must be 16 to 500 printable ASCII characters without spaces')
      .optional()
      .describe('The key. It is never returned. Omit it to keep the stored key of the same `kind`.'),
    region: name.nullish().describe('The region of a resource of Azure Translator; null for a global one.'),
    model: name.nullish().describe('The model that translates. Required for `openai` and `anthropic`.'),
    refiner_model: name.nullish().describe('The model that judges and repairs. Default: `model`.'),
  })
  .meta({ id: 'EngineKey', description: 'The key of a workspace for an engine.' });

export type EngineKey = z.infer<typeof engineKey>;

const readAt = z
  .string()
  .nullish()
  .describe(
    'The `updated_at` that the caller read, null without an engine. If it is another one now, the response is 409. If omitted, it does not count.',
  );

export const engineRemoval = z
  .object({ updated_at: readAt })
  .meta({ id: 'EngineRemoval', description: 'Which engine is removed.' });

export type EngineRemoval = z.infer<typeof engineRemoval>;

export const engineRequest = z
  .object({
    ...engineKey.shape,
    concurrency: limits.concurrency.default(8),
    fallback: limits.fallback.default(false),
    updated_at: readAt,
  })
  .meta({
    id: 'EngineRequest',
    description: 'The complete engine of a workspace. Fields that are omitted get their defaults.',
  });

export type EngineRequest = z.infer<typeof engineRequest>;

export const workspaceEngine = z
  .object({
    kind: kind.nullable().describe('The service that translates; null if the engines of the deployment do.'),
    key_end: z.string().nullable().describe('The last four characters of the stored key.'),
    key_set_at: z.string().nullable().describe('The time at which the key was stored, ISO 8601 in UTC.'),
    region: z
      .string()
      .nullable()
      .describe('The region of a resource of Azure Translator; null for a global one.'),
    model: z
      .string()
      .nullable()
      .describe('The model that translates; null unless the engine is a language model.'),
    refiner_model: z.string().nullable().describe('The model that judges and repairs; null for `model`.'),
    concurrency: limits.concurrency.nullable(),
    fallback: limits.fallback.nullable(),
    updated_at: z.string().nullable().describe('The time of the last change, ISO 8601 in UTC.'),
  })
  .meta({
    id: 'WorkspaceEngine',
    description: 'The engine that a workspace uses with its own key. Without one, all fields are null.',
  });

export type WorkspaceEngine = z.infer<typeof workspaceEngine>;

export const engineTest = z
  .object({
    result: z
      .enum(['ok', 'key_rejected', 'quota', 'unknown_model', 'unreachable', 'failed'])
      .describe(
        '`ok`, or why the test failed: the service rejected the key (401, 403), its quota or rate limit is reached (402, 429, 456), it does not have the model (404), it did not respond, or anything else.',
      ),
    status: z
      .int()
      .nullable()
      .describe('The HTTP status with which the service rejected the request; null otherwise.'),
    translation: z
      .string()
      .nullable()
      .describe('The translation of “Good morning.” into German; null after a failure.'),
  })
  .meta({ id: 'EngineTest', description: 'The result of a test of a key.' });

export type EngineTest = z.infer<typeof engineTest>;
