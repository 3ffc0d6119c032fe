import type {
  CallScope,
  EngineAnswer,
  Judgement,
  Translations,
  TranslationTask,
  Verification,
} from '../../engine.ts';
import { type AnswerFormat, assessmentFormat, verificationFormat } from '../answers.ts';
import type { AskGroups } from '../ask-groups.ts';
import type { Question } from '../chat.ts';
import { instructions } from '../instructions.ts';
import { mergeJudgements } from '../merge-judgements.ts';
import { taskData } from '../task-data.ts';
import { contextsBefore } from '../texts/context-before.ts';
import { groupPassages, weightOf } from '../texts/judged-passages.ts';

/** Scores a draft, to decide on repair. */
export async function assess(
  askGroups: AskGroups,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  scope: CallScope,
): Promise<EngineAnswer<Judgement>> {
  const { questions, weights } = questionsOf('assess', assessmentFormat, { model, task, candidate });
  const { value, ...cost } = await askGroups(questions, scope);
  return { value: mergeJudgements(value, weights), ...cost };
}

/** Checks a final text. It passes where each of its groups does: one that does not is reason enough for a reviewer. */
export async function verify(
  askGroups: AskGroups,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  scope: CallScope,
): Promise<EngineAnswer<Verification>> {
  const { questions, weights } = questionsOf('verify', verificationFormat, { model, task, candidate });
  const { value, ...cost } = await askGroups(questions, scope);
  const passed = value.every((group) => group.passed);
  return { value: { ...mergeJudgements(value, weights), passed }, ...cost };
}

function questionsOf<T>(
  role: 'assess' | 'verify',
  format: AnswerFormat<T>,
  { model, task, candidate }: { model: string; task: TranslationTask; candidate: Translations },
) {
  const groups = groupPassages(task.segments, [candidate]);
  const contexts = contextsBefore(groups);
  const questions = groups.map(
    (group, at): Question<T, T> => ({
      model,
      instructions: instructions(role, task.textType),
      data: {
        ...taskData(task),
        context_before: contexts[at],
        segments: group.map(({ source, translations: [translation] }, index) => ({
          id: index + 1,
          source,
          translation,
        })),
      },
      format,
      read: (answer) => answer,
    }),
  );
  return { questions, weights: groups.map(weightOf) };
}
