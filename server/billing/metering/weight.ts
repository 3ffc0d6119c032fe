import { isDenseScript } from '#server/languages.ts';

/**
 * Weights a job's source characters: `denseWeight` applies once if either language has a dense script, and the result
 * is rounded up.
 */
export function weighCharacters(chars: number, sourceLang: string, targetLang: string, denseWeight: number) {
  if (!isDenseScript(sourceLang) && !isDenseScript(targetLang)) return chars;
  // A factor like 1.1 is not exact in binary: 10 × 1.1 must not round up to 12.
  return Math.ceil(Number((chars * denseWeight).toFixed(6)));
}
