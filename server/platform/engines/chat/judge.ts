import type {
  CallScope,
  Comparison,
  EngineResult,
  Judgement,
  Translations,
  TranslationTask,
  Verification,
} from '../engine.ts';
import type { AskAll, Question } from './chat.ts';
import { alignPassages, groupConsecutive, unitsPerSegment } from './long-texts.ts';
import { contextsBefore, noteOf, promptOf } from './prompts.ts';
import {
  assessmentFormat,
  clipRemark,
  comparisonFormat,
  type NamedWinner,
  type ResponseFormat,
  readJudgements,
  type SegmentJudgements,
  segmentAssessmentFormat,
  verificationFormat,
  worstIssues,
} from './response-formats.ts';

/** Scores a draft, to decide whether to repair it. */
export async function assess(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  scope: CallScope,
): Promise<EngineResult<Judgement>> {
  const { questions, weights } = questionsOf('assess', assessmentFormat, { model, task, candidate });
  const { value, ...cost } = await askAll(questions, scope);
  return { value: mergeJudgements(value, weights), ...cost };
}

/**
 * Scores each segment separately. Consecutive segments share a request, so that the model has context for each of
 * them.
 */
export async function assessEach(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  scope: CallScope,
): Promise<EngineResult<Judgement[]>> {
  const judged = task.segments
    .map((source, segment) => ({ segment, source, translation: candidate[segment] ?? '' }))
    .filter(({ source }) => source.trim() !== '');
  const groups = groupConsecutive(
    judged,
    ({ source, translation }) => source.length + translation.length + unitsPerSegment,
    unitsPerJudge,
  );
  const contexts = contextsBefore(groups, task.contextBefore, contextUnits);
  const questions = groups.map(
    (group, at): Question<SegmentJudgements, Judgement[]> => ({
      model,
      ...promptOf('assess_each', task, contexts[at], {
        segments: group.map(({ segment, source, translation }) => ({
          source,
          translation,
          ...noteOf(task, segment),
        })),
      }),
      format: segmentAssessmentFormat,
      read: (reply) => readJudgements(reply, group.length),
    }),
  );
  const { value, ...cost } = await askAll(questions, scope);
  const bySegment = new Map(value.flat().map((judgement, index) => [judged[index]!.segment, judgement]));
  return {
    value: task.segments.map((_, segment) => bySegment.get(segment) ?? mergeJudgements([], [])),
    ...cost,
  };
}

/**
 * Checks a final text, in groups of passages. The text passes only if all groups pass: a single failed group needs a
 * reviewer.
 */
export async function verify(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  scope: CallScope,
): Promise<EngineResult<Verification>> {
  const { questions, weights } = questionsOf('verify', verificationFormat, { model, task, candidate });
  const { value, ...cost } = await askAll(questions, scope);
  const passed = value.every((group) => group.passed);
  return { value: { ...mergeJudgements(value, weights), passed }, ...cost };
}

function questionsOf<T>(
  role: 'assess' | 'verify',
  format: ResponseFormat<T>,
  { model, task, candidate }: { model: string; task: TranslationTask; candidate: Translations },
) {
  const groups = groupPassages(task.segments, [candidate]);
  const contexts = contextsBefore(groups, null, contextUnits);
  const questions = groups.map(
    (group, at): Question<T, T> => ({
      model,
      ...promptOf(role, task, contexts[at], {
        segments: group.map(({ source, translations: [translation] }) => ({ source, translation })),
      }),
      format,
      read: (reply) => reply,
    }),
  );
  return { questions, weights: groups.map(weightOf) };
}

/**
 * Compares the candidates. Models prefer certain positions, so the order of the candidates is derived from the text.
 * Over many texts, this gives no candidate an advantage, but the same text always gets the same order. A long text is
 * compared in several parts; the winner is the candidate that wins the largest part of the source, or the first of
 * several such candidates.
 */
export async function compare(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  candidates: readonly Translations[],
  scope: CallScope,
): Promise<EngineResult<Comparison>> {
  const groups = groupPassages(task.segments, candidates);
  const weights = groups.map(weightOf);
  const contexts = contextsBefore(groups, null, contextUnits);
  const questions = groups.map((group, at): Question<NamedWinner, Comparison> => {
    const order = rotate(candidates.keys().toArray(), weights[at]! + at);
    return {
      model,
      ...promptOf('compare', task, contexts[at], {
        segments: group.map(({ source }) => ({ text: source })),
        candidates: order.map((candidate, place) => ({
          id: place + 1,
          segments: group.map(({ translations }) => ({ text: translations[candidate] })),
        })),
      }),
      format: comparisonFormat,
      read: ({ winner: id, rationale }) => {
        const winner = order[id - 1];
        return winner === undefined ? undefined : { winner, rationale };
      },
    };
  });
  const { value, ...cost } = await askAll(questions, scope);

  const won = candidates.map(() => 0);
  for (const [at, { winner }] of value.entries()) won[winner]! += weights[at]!;
  const winner = won.indexOf(Math.max(...won));
  const rationale =
    value.find((group) => group.winner === winner)?.rationale ?? 'the text has nothing to compare';
  return { value: { winner, rationale }, ...cost };
}

function rotate<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/**
 * Maximum UTF-16 units of source and candidates in one request, so that a model judges them carefully. The time limit
 * does not matter here, because the response is short.
 */
const unitsPerJudge = 24_000;

/** UTF-16 units of the source before a group. A judge needs only those that its first segment refers to. */
const contextUnits = 200;

/** A passage of a segment: the source and its translations. */
interface JudgedPassage {
  segment: number;
  source: string;
  translations: readonly string[];
}

/**
 * Groups consecutive passages into requests. Segments that are blank in the source and in all candidates are skipped.
 */
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

/** Returns the weight of a group in the whole text: the UTF-16 units of its source, at least 1. */
function weightOf(group: readonly JudgedPassage[]): number {
  return Math.max(1, units(group.map(({ source }) => source)));
}

function versions({ source, translations }: JudgedPassage): string[] {
  return [source, ...translations];
}

function units(texts: readonly string[]): number {
  return texts.reduce((total, { length }) => total + length, 0);
}

/** Maximum points by which the score of a text may exceed that of its worst group. */
const graceOverWorst = 10;

/**
 * Merges the judgements of a text's groups into one. The score is their weighted mean, rounded down, but at most 10
 * points above the score of the worst group. The mean alone is not enough: with nine good groups, a group below 75
 * would not keep the text below the usual threshold of 85. The worst score alone would judge long texts more strictly
 * than short ones.
 * @param weights one for each judgement, in the same order
 */
function mergeJudgements(judgements: readonly Judgement[], weights: readonly number[]): Judgement {
  const [first, ...more] = judgements;
  if (!first) return { score: 100, issues: [], summary: 'the text has nothing to assess' };
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
