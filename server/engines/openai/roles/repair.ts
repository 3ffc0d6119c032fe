import type { CallScope, EngineAnswer, QualityIssue, Translations, TranslationTask } from '../../engine.ts';
import { repairFormat, type TranslatedSegments } from '../answers.ts';
import type { AskGroups } from '../ask-groups.ts';
import type { Question } from '../chat.ts';
import { instructions } from '../instructions.ts';
import { readSegments } from '../read-segments.ts';
import { taskData } from '../task-data.ts';
import { contextsBefore } from '../texts/context-before.ts';
import { frameUnits, groupConsecutive, unitsPerCall } from '../texts/groups.ts';
import { locateIssues } from '../texts/locate-issues.ts';
import { keepOuterSpace } from '../texts/outer-space.ts';
import { cutForRepair, type RepairedPassage } from '../texts/repaired-passages.ts';
import { worstIssues } from '../worst-issues.ts';

/** Has the issues mended. What is not asked about comes back to the letter. */
export async function repair(
  askGroups: AskGroups,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  issues: readonly QualityIssue[],
  scope: CallScope,
): Promise<EngineAnswer<Translations>> {
  const passages = task.segments.flatMap((source, segment) =>
    cutForRepair(segment, source, candidate[segment]!, task.targetLang),
  );
  const groups = groupConsecutive(
    passages.filter(({ source, translation }) => `${source}${translation}`.trim() !== ''),
    ({ translation }) => translation.length + frameUnits,
    unitsPerCall(task.targetLang) + frameUnits,
  );
  const contexts = contextsBefore(groups);
  const touched = issuesByGroup(groups, worstIssues(issues)).flatMap((found, at) =>
    found ? [{ group: groups[at]!, context: contexts[at], found }] : [],
  );
  const questions = touched.map(
    ({ group, context, found }): Question<TranslatedSegments, string[]> => ({
      model,
      instructions: instructions('repair', task.textType),
      data: {
        ...taskData(task),
        context_before: context,
        segments: group.map(({ source, translation, approximate }, index) => ({
          id: index + 1,
          source,
          translation,
          approximate,
        })),
        issues: found,
      },
      format: repairFormat,
      read: (answer) => readSegments(answer, group.length),
    }),
  );
  const { value, ...cost } = await askGroups(questions, scope);

  const asked = touched.flatMap(({ group }) => group);
  const texts = value.flat();
  const repaired = new Map(asked.map((passage, index) => [passage, inPlace(passage, texts[index]!)]));
  const segments = task.segments.map(() => '');
  for (const passage of passages) segments[passage.segment] += repaired.get(passage) ?? passage.translation;
  return { value: segments, ...cost };
}

/**
 * The issues that each group is to mend; undefined for one that is left alone. A group is asked about the issues whose
 * span stands in it, along with those whose span stands nowhere. All groups are asked where no issue has a place, or
 * where one without a place is more than minor: text that is missing has no span, and leaving it out would leave the
 * very fault that repair is for.
 */
function issuesByGroup(
  groups: readonly (readonly RepairedPassage[])[],
  issues: readonly QualityIssue[],
): (QualityIssue[] | undefined)[] {
  const { located, unlocated } = locateIssues(groups, issues);
  const everywhere =
    located.every((found) => found.length === 0) || unlocated.some(({ severity }) => severity !== 'minor');
  return located.map((found) => (everywhere || found.length > 0 ? [...found, ...unlocated] : undefined));
}

/** A passage's new text with its present outer whitespace; with the source's where there was no text yet. */
function inPlace({ source, translation }: RepairedPassage, text: string): string {
  return keepOuterSpace(translation.trim() === '' ? source : translation, text);
}
