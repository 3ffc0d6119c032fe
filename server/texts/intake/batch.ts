import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Warning } from '#server/http/warnings.ts';
import type { Settings } from '#server/settings.ts';
import { textWarnings, warningsOf } from '#server/translation/intake/request-warnings.ts';
import type { Submitted } from '../admit-series.ts';
import { itemKey } from '../idempotency.ts';
import { checkRequest } from './check-request.ts';
import { aboutOfInput, type BatchRequest, batchRequest, readTarget } from './schema.ts';

/** Names of the allowed fields of a batch, at any depth. */
const fields = [...new Set(fieldsOf(batchRequest))];

function* fieldsOf(schema: z.ZodType): Generator<string> {
  if (schema instanceof z.ZodArray) yield* fieldsOf(schema.element as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries(schema.shape)) {
    yield name;
    yield* fieldsOf(field as z.ZodType);
  }
}

/**
 * Expands a batch to one request for each pair of input and target, in the order of the batch, and checks each request.
 * The schema limits the number of requests. Lets other requests of the server run between the inputs: detecting a
 * language takes milliseconds, and the caller is not authenticated yet.
 * @param unknownFields paths of unknown fields of the batch; each job gets the paths that concern it
 * @throws AppError like `checkRequest`; the message names the input
 */
export async function expandBatch(
  batch: BatchRequest,
  settings: Settings,
  unknownFields: readonly string[],
): Promise<Submitted[]> {
  const submitted: Submitted[] = [];
  for (const [i, input] of batch.inputs.entries()) {
    if (i > 0) await setImmediate();
    // The source language is detected and checked once for all targets.
    let source = { source_lang: input.Language, metadata: {} };
    let ofText: Warning[] | undefined;
    for (const [t, target] of input.Targets.entries()) {
      const names = {
        source_text: `inputs[${i}].Text`,
        source_lang: `inputs[${i}].Language`,
        target_lang: `inputs[${i}].Targets[${t}].Language`,
      };
      const request = checkRequest(
        {
          source_text: input.Text,
          ...source,
          target_lang: target.Language,
          text_type: input.TextType,
          ...readTarget(target),
          ...aboutOfInput(input),
          deployment_name: target.DeploymentName ?? null,
          adaptive_dataset_id: target.AdaptiveDatasetId ?? null,
          allow_fallback: target.AllowFallback ?? null,
          idempotency_key: itemKey(batch.idempotency_key, submitted.length),
          domain: null,
        },
        settings,
        names,
      );
      source = { source_lang: request.source_lang, metadata: request.metadata };
      ofText ??= textWarnings(request, names.source_lang);
      const own = unknownFields.filter((path) => concerns(path, i, t));
      submitted.push({
        request,
        warnings: warningsOf(request, { unknownFields: own, fields, names, ofText }),
      });
    }
  }
  return submitted;
}

/** Whether a field with the path `path` in a batch concerns the job of input `i` and target `t`. */
function concerns(path: string, i: number, t: number): boolean {
  const [, input, target] = /^inputs\[(\d+)\](?:\.Targets\[(\d+)\])?/.exec(path) ?? [];
  return (input === undefined || Number(input) === i) && (target === undefined || Number(target) === t);
}
