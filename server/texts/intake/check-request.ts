import { AppError, tooLarge } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import { requireLength } from '#server/platform/input-limits.ts';
import type { Settings } from '#server/settings.ts';
import { readSourceLanguage, withDetection } from '#server/translation/intake/source-language.ts';
import { namesIn } from '#server/translation/pipeline/policy.ts';
import type { TranslationRequest } from '../schema.ts';

/** Metadata keys that only the service sets. Values from a caller are discarded. */
const serverWrittenKeys: ReadonlySet<string> = new Set([
  'tenant',
  'primary_model',
  'terminology_matches',
  'terminology_entries',
  'terminology_gate',
  'terminology_gate_override',
  'golden_uri',
  'provenance',
  'review_pipeline_candidate',
  'source_lang_detection',
  'redaction',
]);

/** Maximum number of JSON characters of the metadata, because it is stored and listed with each job. */
const maximumMetadata = 65_536;

/** The names of a request's fields in error messages. */
type FieldNames = Record<'source_text' | 'source_lang' | 'target_lang', string>;

const ownNames: FieldNames = {
  source_text: 'source_text',
  source_lang: 'source_lang',
  target_lang: 'target_lang',
};

/**
 * Checks a text request before the caller is authenticated.
 * @returns the request with canonical language codes; a detected source language is included
 * @throws AppError 400 for a blank text, 413 for a text that is too long, 422 for an unsupported language or a language
 *   that cannot be detected
 */
export function checkRequest(
  request: TranslationRequest,
  settings: Settings,
  names = ownNames,
): TranslationRequest {
  if (request.source_text.trim() === '')
    throw new AppError('validation_error', `${names.source_text} must not be blank`);
  requireLength('source text exceeds MAX_SOURCE_CHARS', request.source_text, settings.MAX_SOURCE_CHARS);
  const metadata = JSON.stringify(request.metadata).length;
  if (metadata > maximumMetadata)
    throw tooLarge(`metadata exceeds ${maximumMetadata} characters of JSON`, {
      limit: maximumMetadata,
      actual: metadata,
    });
  requireAllowedModels(request.metadata, settings);
  const target_lang = requireLanguage(names.target_lang, request.target_lang);
  const { language, detection } = readSourceLanguage(
    { field: names.source_lang, text: names.source_text },
    request.source_lang,
    request.source_text,
  );
  return {
    ...request,
    source_lang: language,
    target_lang,
    metadata: withDetection(request.metadata, detection),
  };
}

/** Metadata keys whose values are model names, with the names of the keys in error messages. */
const modelKeys = { candidate_models: 'candidate_models', primary_model: 'model' } as const;

/**
 * Checks the requested models against ALLOWED_MODELS, if this is set. If a stored request runs again, it is checked
 * against the current list.
 * @throws AppError 422 for a model that is not on the list
 */
export function requireAllowedModels(
  metadata: Record<string, unknown>,
  { ALLOWED_MODELS: allowed }: Settings,
): void {
  if (allowed.length === 0) return;
  for (const [key, field] of Object.entries(modelKeys)) {
    const refused = namesIn(metadata[key]).find((name) => !allowed.includes(name));
    if (refused !== undefined)
      throw new AppError(
        'unprocessable',
        `${field}: the model ${JSON.stringify(refused.slice(0, 100))} is not available; available models: ${allowed.join(', ')}`,
      );
  }
}

/** Returns the caller's metadata without the keys that only the service sets. */
export function callersMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !serverWrittenKeys.has(key)));
}
