import { AppError } from '#server/errors.ts';
import { canonicalLanguage, languageCodes } from '#server/languages.ts';
import { countCharacters } from '#server/metering/service.ts';
import type { Settings } from '#server/settings.ts';
import { namesIn } from '../pipeline/quality-options.ts';
import type { TranslationRequest } from '../schema.ts';

/** Keys that only the service writes (B 2.6); what a caller sends under them is discarded. */
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
]);

/** It is stored and listed with each job: a bound of ours, where the specification is silent. */
const maximumMetadata = 65_536;

/** The first `units` UTF-16 units of a text, without the half of a character at its end. */
export function clip(text: string, units: number): string {
  return text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}

/** What the fields of a request are called in its errors. */
type FieldNames = Record<'source_text' | 'source_lang' | 'target_lang', string>;

const ownNames: FieldNames = {
  source_text: 'source_text',
  source_lang: 'source_lang',
  target_lang: 'target_lang',
};

/**
 * Gate (2) of B 4.1: what a text request must be before anybody asks who sent it. Answers the request with its
 * languages in canonical form.
 * @throws AppError 400 for a blank text, 413 for one too long, 422 for a language outside the supported set
 */
export function checkRequest(
  request: TranslationRequest,
  settings: Settings,
  names = ownNames,
): TranslationRequest {
  if (request.source_text.trim() === '')
    throw new AppError('validation_error', `${names.source_text} must not be blank`);
  if (isLonger(request.source_text, settings.MAX_SOURCE_CHARS))
    throw new AppError('payload_too_large', 'source text exceeds MAX_SOURCE_CHARS');
  if (JSON.stringify(request.metadata).length > maximumMetadata)
    throw new AppError('payload_too_large', `metadata exceeds ${maximumMetadata} characters of JSON`);
  requireAllowedModels(request.metadata, settings);
  return {
    ...request,
    source_lang: requireLanguage(names.source_lang, request.source_lang),
    target_lang: requireLanguage(names.target_lang, request.target_lang),
  };
}

/** The keys that name models, as callers know them. */
const modelKeys = { candidate_models: 'candidate_models', primary_model: 'model' } as const;

/**
 * What the operator allows, where ALLOWED_MODELS says so: of a request by what it sends, and of a stored one that is run
 * again by what the list is by now.
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
        `${field}: ${JSON.stringify(refused.slice(0, 100))} is not a model that is offered here; offered: ${allowed.join(', ')}`,
      );
  }
}

/** Whether a text has more than `most` characters; a character is one or two units, so that most texts need no counting. */
function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && countCharacters(text) > most);
}

/** A caller's metadata without the keys that only the service writes. */
export function callersMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !serverWrittenKeys.has(key)));
}

/** @throws AppError 422 for a code outside of the supported set, which it lists */
export function requireLanguage(field: string, code: string): string {
  const canonical = canonicalLanguage(code);
  if (canonical) return canonical;
  throw new AppError(
    'unprocessable',
    `unsupported ${field} ${JSON.stringify(code.slice(0, 40))}; supported languages: ${languageCodes.join(', ')}`,
  );
}
