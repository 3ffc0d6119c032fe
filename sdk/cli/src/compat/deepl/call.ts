import { languages } from '../../../../src/index.ts';
import {
  type ClientOf,
  CompatError,
  type CompatRequest,
  type CompatResponse,
  textField,
} from '../request.ts';

export interface CompatOptions {
  clientOf: ClientOf;
  /** Whether a text that awaits a review is an error. */
  heldIsError: boolean;
}

/** A request of DeepL's API with a key. */
export interface Call extends CompatOptions {
  request: CompatRequest;
  /** The API key of the caller. */
  key: string;
  /** The ID in the path; empty without one. */
  id: string;
}

export type Operation = (call: Call) => Promise<CompatResponse> | CompatResponse;

/** Returns a 400 in DeepL's words. */
export function badRequest(reason: string): CompatError {
  return new CompatError(400, `Bad request. Reason: ${reason}`);
}

/** Returns a field that must not be empty. @throws CompatError 400 */
export function requiredField(request: Pick<CompatRequest, 'fields'>, name: string): string {
  const value = textField(request, name);
  if (!value) throw badRequest(`Parameter '${name}' not specified.`);
  return value;
}

/**
 * Returns a field that has one of some values, in lower case; undefined if it is missing or empty.
 * @throws CompatError 400
 */
export function choiceField(
  request: CompatRequest,
  name: string,
  values: readonly string[],
): string | undefined {
  const value = textField(request, name)?.toLowerCase();
  if (value && !values.includes(value))
    throw badRequest(`Value for '${name}' not supported. Use one of: ${values.join(', ')}.`);
  return value || undefined;
}

/** DeepL's codes that differ from those of the service, in capitals. */
const codes: Readonly<Record<string, string>> = {
  'EN-GB': 'en',
  'EN-US': 'en',
  'ES-419': 'es',
  PT: 'pt-PT',
  ZH: 'zh-Hans',
};

/** Returns the code of the service for a code of DeepL; undefined for a language that the service does not support. */
export function knownCode(code: string): string | undefined {
  const capital = code.toUpperCase();
  return codes[capital] ?? languages.find((one) => one.code.toUpperCase() === capital)?.code;
}

/** Does the same for a field. @throws CompatError 400 for a language that the service does not support */
export function serviceCode(code: string, field: string): string {
  const known = knownCode(code);
  if (known) return known;
  const supported = languages.map((one) => one.code).join(', ');
  throw badRequest(`Value for '${field}' not supported. LinguaLoop supports: ${supported}.`);
}

/** Returns DeepL's code of a source language, in capitals: without a variant. */
export function deeplCode(code: string): string {
  return (code.split('-', 1)[0] as string).toUpperCase();
}

/** Returns the source language as a code of the service; `auto` without one. @throws CompatError 400 */
export function sourceOf(request: Pick<CompatRequest, 'fields'>): string {
  const code = textField(request, 'source_lang');
  return code ? serviceCode(code, 'source_lang') : 'auto';
}

/** Returns the target language as a code of the service. @throws CompatError 400 */
export function targetOf(request: Pick<CompatRequest, 'fields'>): string {
  return serviceCode(requiredField(request, 'target_lang'), 'target_lang');
}
