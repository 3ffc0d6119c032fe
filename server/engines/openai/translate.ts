import type { CallScope, EngineAnswer, Translations, TranslationTask } from '../engine.ts';
import { readSegments, type TranslatedSegments, translationFormat } from './answer-formats.ts';
import type { AskAll, Question } from './chat.ts';
import { cutText, groupConsecutive, keepOuterSpace, unitsPerCall, unitsPerSegment } from './long-texts.ts';
import { contextsBefore, instructions, promptData } from './prompts.ts';

/** A stretch of source short enough to be asked for at once: a whole segment, or a part of a long one. */
interface Piece {
  /** Index of the segment it belongs to. */
  segment: number;
  /** Its source to the letter; a segment's pieces joined are the segment. */
  source: string;
}

function cutSegments(segments: readonly string[], language: string): Piece[] {
  const most = unitsPerCall(language);
  return segments.flatMap((text, segment) =>
    cutText(text, most, language).map((source) => ({ segment, source })),
  );
}

/** Written without spaces between sentences. */
const unspaced: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'th']);

/**
 * The segments again, from one translation for each piece. The whitespace around and between pieces is the source's;
 * where a language that writes no spaces had none between two pieces, one that does gets a space there.
 */
function joinPieces(
  pieces: readonly Piece[],
  translations: readonly string[],
  { sourceLang, targetLang }: { sourceLang: string; targetLang: string },
): string[] {
  const gap = unspaced.has(sourceLang) && !unspaced.has(targetLang) ? ' ' : '';
  const joined: string[] = [];
  for (const [index, { segment, source }] of pieces.entries()) {
    const text = keepOuterSpace(source, translations[index]!);
    const before = joined[segment];
    if (before === undefined) joined[segment] = text;
    else joined[segment] = before + (/\S$/.test(before.slice(-1)) && /^\S/.test(text) ? gap : '') + text;
  }
  return joined;
}

/**
 * Translates the segments, a long text in several questions: what a model writes in OPENAI_TIMEOUT_SECONDS is less than
 * a source may be long. The whitespace around segments and between their pieces never goes to a model.
 */
export async function translate(
  askGroups: AskAll,
  model: string,
  task: TranslationTask,
  scope: CallScope,
): Promise<EngineAnswer<Translations>> {
  const pieces = cutSegments(task.segments, task.sourceLang);
  const asked = pieces.filter(({ source }) => source.trim() !== '');
  const groups = groupConsecutive(
    asked,
    ({ source }) => source.length + unitsPerSegment,
    unitsPerCall(task.sourceLang) + unitsPerSegment,
  );
  const contexts = contextsBefore(groups);
  const questions = groups.map(
    (group, at): Question<TranslatedSegments, string[]> => ({
      model,
      instructions: instructions('translate', task.textType),
      data: {
        ...promptData(task),
        context_before: contexts[at],
        segments: group.map(({ source }, index) => ({ id: index + 1, text: source.trim() })),
      },
      format: translationFormat,
      read: (answer) => readSegments(answer, group.length),
    }),
  );
  const { value, ...cost } = await askGroups(questions, scope);

  const texts = value.flat();
  const translated = new Map(asked.map((piece, index) => [piece, texts[index]!]));
  const translations = pieces.map((piece) => translated.get(piece) ?? piece.source);
  return { value: joinPieces(pieces, translations, task), ...cost };
}
