import type { CompatRequest } from '../request.ts';
import { badRequest, choiceField, targetOf } from './call.ts';

/*
 * The options of a translation. An option that would change the translation is translated or an error, and the value of
 * every other one is checked.
 */

/** Parameters without a counterpart, which would change the translation. */
const unsupported = ['style_id', 'translation_memory_id', 'translation_memory_threshold'];

/** @throws CompatError 400 */
export function refuseUnsupported(request: CompatRequest): void {
  for (const name of unsupported)
    if (request.fields[name] !== undefined && request.fields[name] !== '')
      throw badRequest(`LinguaLoop has no counterpart of '${name}'`);
}

/** Languages in which the service distinguishes the register by `tone`; it accepts the option for all. */
export const withFormality: ReadonlySet<string> = new Set([
  'de',
  'fr',
  'it',
  'es',
  'nl',
  'pl',
  'pt-PT',
  'pt-BR',
  'ja',
  'ru',
]);

const tones: Readonly<Record<string, 'formal' | 'informal' | undefined>> = {
  default: undefined,
  more: 'formal',
  prefer_more: 'formal',
  less: 'informal',
  prefer_less: 'informal',
};

/** Returns the tone for `formality`. @throws CompatError 400, also for a language without registers */
export function toneOf(request: CompatRequest): string | undefined {
  const formality = choiceField(request, 'formality', Object.keys(tones)) ?? 'default';
  if (['more', 'less'].includes(formality) && !withFormality.has(targetOf(request)))
    throw badRequest(
      `Target language '${request.fields['target_lang']}' does not support formality; use prefer_${formality}.`,
    );
  return tones[formality];
}

/** Returns whether a flag is set. @throws CompatError 400 */
export function flagOf(request: CompatRequest, name: string): boolean {
  return ['1', 'true'].includes(choiceField(request, name, ['0', '1', 'false', 'true']) ?? '0');
}
