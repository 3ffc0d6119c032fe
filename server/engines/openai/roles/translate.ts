import type { CallScope, EngineAnswer, Translations, TranslationTask } from '../../engine.ts';
import { type TranslatedSegments, translationFormat } from '../answers.ts';
import type { AskGroups } from '../ask-groups.ts';
import type { Question } from '../chat.ts';
import { instructions } from '../instructions.ts';
import { readSegments } from '../read-segments.ts';
import { taskData } from '../task-data.ts';
import { contextsBefore } from '../texts/context-before.ts';
import { frameUnits, groupConsecutive, unitsPerCall } from '../texts/groups.ts';
import { cutSegments, joinPieces } from '../texts/pieces.ts';

/**
 * Translates the segments, a long text in several questions: what a model writes in OPENAI_TIMEOUT_SECONDS is less than
 * a source may be long. The whitespace around segments and between their pieces never goes to a model.
 */
export async function translate(
  askGroups: AskGroups,
  model: string,
  task: TranslationTask,
  scope: CallScope,
): Promise<EngineAnswer<Translations>> {
  const pieces = cutSegments(task.segments, task.sourceLang);
  const asked = pieces.filter(({ source }) => source.trim() !== '');
  const groups = groupConsecutive(
    asked,
    ({ source }) => source.length + frameUnits,
    unitsPerCall(task.sourceLang) + frameUnits,
  );
  const contexts = contextsBefore(groups);
  const questions = groups.map(
    (group, at): Question<TranslatedSegments, string[]> => ({
      model,
      instructions: instructions('translate', task.textType),
      data: {
        ...taskData(task),
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
