import type { BatchTranslationRequest } from '#sdk/types.ts';
import { type Options, said } from './options.ts';

/** A text of a batch and one of its target languages. Each item is translated by one job. */
export interface BatchItem {
  text: string;
  target: string;
}

/** Combines each text with each language. The service creates and returns the jobs in the same order. */
export function itemsOf(texts: readonly string[], targets: readonly string[]): BatchItem[] {
  return texts.flatMap((text) => targets.map((target) => ({ text, target })));
}

/**
 * Builds a batch request. The items must be in the order of `itemsOf`; consecutive items with the same text become one
 * input.
 */
export function batchRequest(
  items: readonly BatchItem[],
  source: string,
  options: Options,
): BatchTranslationRequest {
  const { tone, gender } = said(options);
  const inputs: BatchTranslationRequest['inputs'] = [];
  for (const item of items) {
    const target = { Language: item.target, Tone: tone, Gender: gender };
    const input = inputs.at(-1);
    if (input && input.Text === item.text) input.Targets.push(target);
    else inputs.push({ Text: item.text, Language: source, TextType: options.textType, Targets: [target] });
  }
  return { inputs };
}
