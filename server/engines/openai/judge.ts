import type {
  CallScope,
  Comparison,
  EngineAnswer,
  Judgement,
  Translations,
  TranslationTask,
  Verification,
} from '../engine.ts';
import {
  type AnswerFormat,
  assessmentFormat,
  clipRemark,
  comparisonFormat,
  type NamedWinner,
  verificationFormat,
  worstIssues,
} from './answer-formats.ts';
import type { AskAll, Question } from './chat.ts';
import { alignPassages, groupConsecutive, unitsPerSegment } from './long-texts.ts';
import { contextsBefore, instructions, promptData } from './prompts.ts';

/** UTF-16 units of all versions together that a judge reads with care at once. Its answer is short, so time is no matter. */
const unitsPerJudge = 24_000;

/** A passage of a segment in all versions of the text: the source, then its translations. */
interface JudgedPassage {
  segment: number;
  source: string;
  translations: readonly string[];
}

/** Consecutive groups of passages, each for one question. Segments that are blank in every version are left out. */
function groupPassages(
  segments: readonly string[],
  candidates: readonly (readonly string[])[],
): JudgedPassage[][] {
  const passages = segments.flatMap((text, segment) =>
    alignPassages([text, ...candidates.map((candidate) => candidate[segment]!)], units, unitsPerJudge).map(
      ([source, ...translations]): JudgedPassage => ({ segment, source: source!, translations }),
    ),
  );
  return groupConsecutive(
    passages.filter((passage) => versions(passage).some((text) => text.trim() !== '')),
    (passage) => units(versions(passage)) + unitsPerSegment,
    unitsPerJudge + unitsPerSegment,
  );
}

/** What a group's verdict counts for in the whole: the units of its source, and one at least. */
function weightOf(group: readonly JudgedPassage[]): number {
  return Math.max(1, units(group.map(({ source }) => source)));
}

function versions({ source, translations }: JudgedPassage): string[] {
  return [source, ...translations];
}

function units(texts: readonly string[]): number {
  return texts.reduce((total, { length }) => total + length, 0);
}

/** How far a text may score above the worst of its groups. */
const graceOverWorst = 10;

/**
 * One judgement of a text that was judged in groups. The score is the mean of the groups' by their weights, in whole
 * points rounded down, yet at most 10 above the worst: in the mean alone nine good groups would hide one that scores
 * below 75, and the text would pass the usual threshold of 85. The worst alone would hold long texts to more than
 * short ones, since some group always scores lowest.
 * @param weights of the judgements, in their order
 */
function mergeJudgements(judgements: readonly Judgement[], weights: readonly number[]): Judgement {
  const [first, ...more] = judgements;
  if (!first) return { score: 100, issues: [], summary: 'there is no text to judge' };
  if (more.length === 0) {
    const { score, issues, summary } = first;
    return { score, issues, summary };
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = judgements.reduce((total, { score }, index) => total + score * weights[index]!, 0) / sum;
  const worst = Math.min(...judgements.map(({ score }) => score));
  return {
    score: Math.floor(Math.min(mean, worst + graceOverWorst)),
    issues: worstIssues(judgements.flatMap(({ issues }) => issues)),
    summary: clipRemark(judgements.map(({ summary }) => summary).join(' ')),
  };
}

/** Scores a draft, to decide on repair. */
export async function assess(
  askGroups: AskAll,
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
  askGroups: AskAll,
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
        ...promptData(task),
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

/**
 * Has the candidates judged side by side. Judges favour places, so which candidate stands first follows from the text:
 * over many texts, and over the groups of a long one, none has the better place, while the same text is asked about in
 * the same way. A long text goes to the candidate that wins most of its source, among equals to the first.
 */
export async function compare(
  askGroups: AskAll,
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
        ...promptData(task),
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
