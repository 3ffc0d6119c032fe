import { encodedText } from './encoded-text.ts';
import { hasHiddenText, hasMixedWords, revealed } from './hidden-text.ts';
import { isInstructionLike } from './instruction-like.ts';

/** The names that `riskFlags` answers, in this order. */
export type RiskFlag = 'instruction_like_source' | 'hidden_text' | 'mixed_script_words' | 'encoded_text';

/**
 * What makes a source text suspicious: it gives orders to a model (in plain sight, hidden, in look-alike letters or
 * encoded), or it hides text at all. A flag is a warning and blocks nothing (B 2.3, trigger risk_flag), which is why it may
 * be wrong now and then: documentation about models gives the same orders.
 *
 * Any string is accepted; time and memory are linear.
 */
export function riskFlags({ sourceText }: { sourceText: string }): RiskFlag[] {
  const text = revealed(sourceText);
  const encoded = encodedText(text);
  const flags: Record<RiskFlag, boolean> = {
    instruction_like_source: isInstructionLike(text) || encoded.some(isInstructionLike),
    hidden_text: hasHiddenText(sourceText),
    mixed_script_words: hasMixedWords(sourceText),
    encoded_text: encoded.length > 0,
  };
  return (Object.keys(flags) as RiskFlag[]).filter((flag) => flags[flag]);
}
