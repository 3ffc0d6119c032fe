import { type Leverage, noLeverage } from '../leverage/leverage.ts';
import { findTerms, type TermsInText } from '../leverage/terms.ts';
import type { TextRequest } from '../request.ts';
import { readSourceText, type SourceText } from './source-text.ts';

/** A text that is ready to be translated or checked: its segments, terms and TM matches. */
export interface PreparedText {
  request: TextRequest;
  text: SourceText;
  leverage: Leverage;
  /** The glossary terms of the text; null without a glossary for its language pair. */
  terms: TermsInText | null;
}

/** @throws AppError rate_limit if too many large glossaries are in use */
export async function prepareText(
  request: TextRequest,
  leverage: Leverage = noLeverage,
  signal?: AbortSignal,
): Promise<PreparedText> {
  const text = readSourceText(request, leverage.style);
  return { request, text, leverage, terms: await findTerms(text, leverage.glossary, text.plain, signal) };
}
