import { isUnspaced } from '#server/languages.ts';
import type { CallScope, EngineResult, Translations, TranslationTask } from '../engine.ts';
import type { AskAll, Question } from './chat.ts';
import { cutText, groupConsecutive, keepOuterSpace, unitsPerCall, unitsPerSegment } from './long-texts.ts';
import { contextsBefore, instructions, noteOf, promptData } from './prompts.ts';
import { readSegments, type TranslatedSegments, translationFormat } from './response-formats.ts';

/**
 * Translates the segments. A long text is sent in several requests, because a model may not be able to translate it
 * within OPENAI_TIMEOUT_SECONDS. Whitespace around segments, and between the pieces of a segment, is not sent to the
 * model.
 */
export async function translate(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  scope: CallScope,
): Promise<EngineResult<Translations>> {
  const pieces = cutSegments(task.segments, task.sourceLang);
  const asked = pieces.filter(({ source }) => source.trim() !== '');
  const groups = groupConsecutive(
    asked,
    ({ source }) => source.length + unitsPerSegment,
    unitsPerCall(task.sourceLang) + unitsPerSegment,
  );
  const contexts = contextsBefore(groups, task.contextBefore);
  const questions = groups.map(
    (group, at): Question<TranslatedSegments, string[]> => ({
      model,
      instructions: instructions('translate', task),
      data: {
        ...promptData(task),
        context_before: contexts[at],
        segments: group.map(({ segment, source }, index) => ({
          id: index + 1,
          text: source.trim(),
          ...noteOf(task, segment),
        })),
      },
      format: translationFormat,
      read: (reply) => readSegments(reply, group.length),
    }),
  );
  const { value, ...cost } = await askAll(questions, scope);

  const texts = value.flat();
  const translated = new Map(asked.map((piece, index) => [piece, texts[index]!]));
  const translations = pieces.map((piece) => translated.get(piece) ?? piece.source);
  return { value: joinPieces(pieces, translations, task), ...cost };
}

/** A part of the source that fits into one request: a whole segment, or a part of a long one. */
interface Piece {
  /** Index of the segment to which the piece belongs. */
  segment: number;
  /** A part of the source segment. All pieces of a segment joined are exactly the segment. */
  source: string;
}

function cutSegments(segments: readonly string[], language: string): Piece[] {
  const max = unitsPerCall(language);
  return segments.flatMap((text, segment) =>
    cutText(text, max, language).map((source) => ({ segment, source })),
  );
}

/**
 * Joins the translations of the pieces to segments. Whitespace around and between pieces is taken from the source. If
 * the source language is written without spaces and the target language with spaces, a space is added between two
 * pieces.
 */
function joinPieces(
  pieces: readonly Piece[],
  translations: readonly string[],
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): string[] {
  const gap = isUnspaced(sourceLang) && !isUnspaced(targetLang) ? ' ' : '';
  const joined: string[] = [];
  for (const [index, { segment, source }] of pieces.entries()) {
    const text = keepOuterSpace(source, translations[index]!);
    const before = joined[segment];
    if (before === undefined) joined[segment] = text;
    else joined[segment] = before + (/\S$/.test(before.slice(-1)) && /^\S/.test(text) ? gap : '') + text;
  }
  return joined;
}
