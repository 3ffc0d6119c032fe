import type { Settings } from '#server/settings.ts';
import { itemKey } from '../idempotency.ts';
import type { TranslationRequest } from '../schema.ts';
import { checkRequest } from './check-request.ts';
import type { BatchRequest } from './schema.ts';

/**
 * One request for each (input × target), in submission order (B 4.1), each checked as a single one is; an error names
 * the input it is about. How many there may be is the schema's bound.
 * @throws AppError what `checkRequest` throws
 */
export function expandBatch(batch: BatchRequest, settings: Settings): TranslationRequest[] {
  let index = 0;
  return batch.inputs.flatMap((input, i) =>
    input.Targets.map((target, t): TranslationRequest => {
      const request: TranslationRequest = {
        source_text: input.Text,
        source_lang: input.Language,
        target_lang: target.Language,
        text_type: input.TextType,
        tone: target.Tone ?? null,
        gender: target.Gender ?? null,
        deployment_name: target.DeploymentName ?? null,
        adaptive_dataset_id: target.AdaptiveDatasetId ?? null,
        allow_fallback: target.AllowFallback ?? null,
        idempotency_key: itemKey(batch.idempotency_key, index++),
        domain: null,
        metadata: {},
      };
      return checkRequest(request, settings, {
        source_text: `inputs[${i}].Text`,
        source_lang: `inputs[${i}].Language`,
        target_lang: `inputs[${i}].Targets[${t}].Language`,
      });
    }),
  );
}
