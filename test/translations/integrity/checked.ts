import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { checkIntegrity } from '#server/translation/integrity/index.ts';

/** The issues in the translation of a plain text. */
export function issuesOf(
  sourceText: string,
  targetText: string,
  targetLang = 'de',
  sourceLang = 'en',
): QualityIssue[] {
  return checkIntegrity({ sourceText, targetText, sourceLang, targetLang, textType: 'Plain' });
}

/** The texts to which the critical issues refer. */
export const criticalSpans = (...texts: Parameters<typeof issuesOf>): (string | null)[] =>
  issuesOf(...texts)
    .filter(({ severity }) => severity === 'critical')
    .map(({ span }) => span);
