import { findPlaceholders } from '#server/language/text-rules/placeholders.ts';
import { translatedParts } from '#server/language/translation-memory/lookup/sentences.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { differentPlaceholders, placeholderNote } from '../integrity/placeholder-losses.ts';
import { type Leverage, lookupOf, noLeverage } from '../leverage/leverage.ts';
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
  /**
   * The translation that is made of sentences of the TM, or of a repetition in other typography; null if the TM lacks a
   * sentence, or if a glossary term would be missing.
   */
  assembled: string | null;
}

/**
 * @param repetition the translation of a repetition in other typography, which is used if the TM lacks a sentence
 * @throws AppError rate_limit if too many large glossaries are in use
 */
export async function prepareText(
  request: TextRequest,
  leverage: Leverage = noLeverage,
  signal?: AbortSignal,
  repetition: string | null = null,
): Promise<PreparedText> {
  const text = readSourceText(request, leverage.style);
  const terms = await findTerms(text, leverage.glossary, text.plain, signal);
  // A match of the whole text that is not served is not made of sentences either.
  const parts = leverage.exact ? null : translatedParts(leverage.sentences, lookupOf(request));
  const joined = parts ? parts.map(({ text }) => text).join('') : leverage.exact ? null : repetition;
  const isCompliant = joined === null || !terms || (await terms.check([joined])).passed;
  const assembled = isCompliant ? joined : null;
  const used = assembled !== null && !parts ? { ...leverage, sentences: [] } : leverage;
  return { request, text, leverage: used, terms, assembled };
}

/**
 * Adds the placeholders of the workspace to a text, so that engines and checks keep them.
 * @throws AppError rate_limit if too many patterns of workspaces are queued
 */
export async function withPlaceholders<T extends PreparedText>(prepared: T, scope: SlotScope): Promise<T> {
  const { text, leverage } = prepared;
  const { placeholders: patterns = [] } = leverage;
  if (patterns.length === 0) return prepared;
  const { task } = text;
  const placeholders = { patterns, found: await findPlaceholders(patterns, task.segments, scope) };
  const keep = differentPlaceholders(placeholders);
  if (keep.length === 0) return { ...prepared, text: { ...text, placeholders } };
  const [first = null, ...rest] = task.notes ?? task.segments.map(() => null);
  const note = [first, placeholderNote(keep)].filter(Boolean).join('; ');
  return { ...prepared, text: { ...text, placeholders, task: { ...task, keep, notes: [note, ...rest] } } };
}
