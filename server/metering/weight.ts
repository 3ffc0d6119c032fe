import { countCodePoints } from '#server/formats/text.ts';
import { isDenseScript } from '#server/languages.ts';

/** Characters as the service counts them everywhere: Unicode code points (C 7). */
export const countCharacters = countCodePoints;

/**
 * Source characters weighted for a pair (A 8.1): the factor applies once if either side is dense, and the
 * result is rounded up, once per job.
 */
export function weighCharacters(chars: number, sourceLang: string, targetLang: string, denseWeight: number) {
  if (!isDenseScript(sourceLang) && !isDenseScript(targetLang)) return chars;
  // A factor like 1.1 is not exact in binary: 10 × 1.1 must not round up to 12.
  return Math.ceil(Number((chars * denseWeight).toFixed(6)));
}
