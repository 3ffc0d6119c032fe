import { isDenseScript } from '#server/languages.ts';

/**
 * Weights a job's source characters. If the source or the target language has a dense script, or both, the characters
 * are multiplied by `denseWeight` once. The result is rounded up.
 */
export function weighCharacters(chars: number, sourceLang: string, targetLang: string, denseWeight: number) {
  if (!isDenseScript(sourceLang) && !isDenseScript(targetLang)) return chars;
  // A factor like 1.1 is not exact in binary: without this, 10 × 1.1 would round up to 12.
  return Math.ceil(Number((chars * denseWeight).toFixed(6)));
}
