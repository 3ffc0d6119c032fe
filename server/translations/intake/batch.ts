import type { Settings } from '#server/settings.ts';
import { itemKey } from '../idempotency.ts';
import type { TranslationRequest } from '../schema.ts';
import { checkRequest } from './check-request.ts';
import type { BatchRequest } from './schema.ts';

/**
 * Expands a batch to one request per (input × target), in submission order (B 4.1), and checks each. The schema limits how many there may be.
 * @throws AppError as `checkRequest` does; the message names the input
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
