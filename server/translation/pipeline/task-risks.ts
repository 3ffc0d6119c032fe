import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { QualityIssue, TranslationTask } from '#server/platform/engines/engine.ts';
import type { RiskFlag } from '../plausibility/index.ts';
import { risksOf } from '../threads/check-threads.ts';
import { joinSegments } from './source-text.ts';

/**
 * Returns the risk flags of a task: of its source and, if the workspace demands a review of suspected instructions, of
 * everything else that a model gets with it, such as terms, examples, notes and the style guide.
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export function risksOfTask(
  { segments, sourceLang, targetLang: _, textType: __, ...others }: TranslationTask,
  reviewsInstructions: boolean,
  scope: SlotScope,
): Promise<RiskFlag[]> {
  return risksOf(
    {
      sourceText: joinSegments(segments),
      sourceLang,
      data: reviewsInstructions ? [...new Set(textsIn(others))] : [],
    },
    scope,
  );
}

/** Returns all texts in a value. A field that is added to the task is included, too. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Whether a flag is a suspicion of instructions to the model. The stated language may also be wrong by mistake. */
export function isSuspicious(risk: RiskFlag): boolean {
  return risk !== 'other_source_language';
}

/** The message for each risk flag, shown to reviewers. */
const sentences: Record<RiskFlag, string> = {
  instruction_like_source: 'the source looks like instructions to a model',
  hidden_text: 'the source has invisible characters',
  mixed_script_words: 'the source has words with letters of several scripts',
  encoded_text: 'the source has encoded text',
  other_source_language:
    'the source text is clearly not in the source language of the request (English by default)',
  instruction_like_data:
    'a term, an example, a note, the style guide or other data for the model looks like instructions to it',
  unchecked_source: 'the source could not be checked in time for instructions to a model',
};

export function describeRisks(risks: readonly RiskFlag[]): string {
  return risks.map((risk) => sentences[risk]).join('; ');
}

/** The issue of a segment of a document whose workspace demands a review of suspected instructions. */
export function riskIssue(risks: readonly RiskFlag[]): QualityIssue {
  return {
    severity: 'critical',
    category: 'accuracy',
    span: null,
    explanation: `Suspected instructions to the model, in this text or in what it read with it: ${describeRisks(risks)}.`,
    suggestion: 'Check that the translation has the meaning of the source, and nothing else.',
  };
}
