import type { CallScope, Comparison, EngineAnswer, Translations, TranslationTask } from '../../engine.ts';
import { comparisonFormat, type NamedWinner } from '../answers.ts';
import type { AskGroups } from '../ask-groups.ts';
import type { Question } from '../chat.ts';
import { instructions } from '../instructions.ts';
import { taskData } from '../task-data.ts';
import { contextsBefore } from '../texts/context-before.ts';
import { groupPassages, weightOf } from '../texts/judged-passages.ts';

/**
 * Has the candidates judged side by side. Judges favour places, so which candidate stands first follows from the text:
 * over many texts, and over the groups of a long one, none has the better place, while the same text is asked about in
 * the same way. A long text goes to the candidate that wins most of its source, among equals to the first.
 */
export async function compare(
  askGroups: AskGroups,
  model: string,
  task: TranslationTask,
  candidates: readonly Translations[],
  scope: CallScope,
): Promise<EngineAnswer<Comparison>> {
  const groups = groupPassages(task.segments, candidates);
  const weights = groups.map(weightOf);
  const contexts = contextsBefore(groups);
  const questions = groups.map((group, at): Question<NamedWinner, Comparison> => {
    const order = rotate(candidates.keys().toArray(), weights[at]! + at);
    return {
      model,
      instructions: instructions('compare', task.textType),
      data: {
        ...taskData(task),
        context_before: contexts[at],
        segments: group.map(({ source }, index) => ({ id: index + 1, text: source })),
        candidates: order.map((candidate, place) => ({
          id: place + 1,
          segments: group.map(({ translations }, index) => ({
            id: index + 1,
            text: translations[candidate],
          })),
        })),
      },
      format: comparisonFormat,
      read: ({ winner: id, rationale }) => {
        const winner = order[id - 1];
        return winner === undefined ? undefined : { winner, rationale };
      },
    };
  });
  const { value, ...cost } = await askGroups(questions, scope);

  const won = candidates.map(() => 0);
  for (const [at, { winner }] of value.entries()) won[winner]! += weights[at]!;
  const winner = won.indexOf(Math.max(...won));
  const rationale =
    value.find((group) => group.winner === winner)?.rationale ?? 'there is no text to compare';
  return { value: { winner, rationale }, ...cost };
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
