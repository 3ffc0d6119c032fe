import { addedCode } from '#server/formats/added-code.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';

/** The maximum number of issues. Each of them prevents publishing. */
const maxIssues = 20;

/** Finds the code in a translation that its source lacks: a page or program that has the text might run it. */
export function checkAddedCode(sourceText: string, targetText: string): QualityIssue[] {
  return addedCode(sourceText, targetText)
    .slice(0, maxIssues)
    .map((code) => ({
      severity: 'critical',
      category: 'accuracy',
      span: code,
      explanation: `The source does not have ${code}, which a page or program may run as code.`,
      suggestion: `Remove ${code}.`,
    }));
}
