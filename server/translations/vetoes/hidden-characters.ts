import type { QualityIssue } from '#server/engines/engine.ts';
import { critical } from './text-pair.ts';

/** Overrides of the writing direction, and tag characters: what makes a text read otherwise than it is. */
const hidden = /[\u202d\u202e\u{e0000}-\u{e007f}]/u;

/** Characters in the translation that hide or turn text, where the source has none. Joiners and marks are ordinary. */
export function hiddenCharactersIssue(sourceText: string, targetText: string): QualityIssue | undefined {
  if (!hidden.test(targetText) || hidden.test(sourceText)) return undefined;
  return critical('accuracy', 'The translation has invisible characters that the source has not.');
}
