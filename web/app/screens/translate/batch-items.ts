import type { BatchTranslationRequest } from '#sdk/types.ts';
import { type Options, said } from './options.ts';

/** A text of a batch with one target language: one job. */
export interface BatchItem {
  text: string;
  target: string;
}

/** Each text with each language, in the order in which the service creates and returns their jobs. */
export function itemsOf(texts: readonly string[], targets: readonly string[]): BatchItem[] {
  return texts.flatMap((text) => targets.map((target) => ({ text, target })));
}

/** The request for items in the order of `itemsOf`. Consecutive items with the same text are one input. */
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
