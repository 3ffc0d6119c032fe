import type { CallScope, EngineResult, QualityIssue, Translations, TranslationTask } from '../engine.ts';
import type { AskAll, Question } from './chat.ts';
import {
  alignPassages,
  cutText,
  groupConsecutive,
  keepOuterSpace,
  unitsPerCall,
  unitsPerSegment,
} from './long-texts.ts';
import { contextsBefore, noteOf, promptOf } from './prompts.ts';
import { readSegments, repairFormat, type TranslatedSegments, worstIssues } from './response-formats.ts';

/**
 * Maximum UTF-16 units of a span that are searched for. Of a longer span, only the beginning is searched for, so that
 * a hostile text cannot make the search slow.
 */
const searchedUnits = 64;

interface Bilingual {
  source: string;
  translation: string;
}

/** The issues of a text, by the groups in which they are. */
interface IssuesByGroup {
  /** For each group, the issues whose span the group contains. */
  located: QualityIssue[][];
  /** Issues that have no span, or whose span is in no group. */
  unlocated: QualityIssue[];
}

/**
 * Searches the sources and translations of the groups for the span of each issue. Differences in whitespace are
 * ignored.
 */
function locateIssues(
  groups: readonly (readonly Bilingual[])[],
  issues: readonly QualityIssue[],
): IssuesByGroup {
  const haystacks = groups.map((group) =>
    group.flatMap(({ source, translation }) => [normalize(translation), normalize(source)]),
  );
  const located: QualityIssue[][] = groups.map(() => []);
  const unlocated = issues.filter((issue) => {
    const searched = normalize(issue.span ?? '').slice(0, searchedUnits);
    if (searched === '') return true;
    const at = haystacks.flatMap((texts, index) =>
      texts.some((text) => text.includes(searched)) ? [index] : [],
    );
    for (const index of at) located[index]!.push(issue);
    return at.length === 0;
  });
  return { located, unlocated };
}

function normalize(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim();
}

/** If the source of a passage is only known approximately, the UTF-16 units that are added to it on either side. */
const margin = 1000;

/** A part of a translation that fits into one request, and its source. */
interface RepairedPassage {
  segment: number;
  /** A part of the segment's current translation. All parts of a segment joined are the whole translation. */
  translation: string;
  source: string;
  /**
   * Whether the source is approximate: it may extend beyond the translation, because its exact start and end are
   * unknown.
   */
  approximate: boolean;
}

/**
 * Cuts a segment into passages for repair. The cuts are made in the translation, so that none of its parts is lost or
 * repeated, whatever a model does with the source that is sent with it.
 */
function cutForRepair(
  segment: number,
  source: string,
  translation: string,
  targetLang: string,
): RepairedPassage[] {
  const max = unitsPerCall(targetLang);
  return alignPassages([source, translation], ([, translated]) => translated!.length, max).flatMap(
    ([original, translated]) =>
      translated!.length <= max
        ? [{ segment, source: original!, translation: translated!, approximate: false }]
        : cutByProportion(original!, cutText(translated!, max, targetLang)).map((cut) => ({
            segment,
            ...cut,
          })),
  );
}

function cutByProportion(source: string, pieces: readonly string[]): Omit<RepairedPassage, 'segment'>[] {
  const scale = source.length / pieces.reduce((total, { length }) => total + length, 0);
  let start = 0;
  return pieces.map((translation) => {
    const from = Math.max(0, Math.floor(start * scale) - margin);
    start += translation.length;
    const to = Math.ceil(start * scale) + margin;
    return { translation, source: source.slice(from, to).toWellFormed(), approximate: pieces.length > 1 };
  });
}

/** Repairs the issues. Passages that need no repair are not sent to the model, and returned unchanged. */
export async function repair(
  askAll: AskAll,
  model: string,
  task: TranslationTask,
  candidate: Translations,
  issues: readonly QualityIssue[],
  scope: CallScope,
): Promise<EngineResult<Translations>> {
  const passages = task.segments.flatMap((source, segment) =>
    cutForRepair(segment, source, candidate[segment]!, task.targetLang),
  );
  const groups = groupConsecutive(
    passages.filter(({ source, translation }) => `${source}${translation}`.trim() !== ''),
    ({ translation }) => translation.length + unitsPerSegment,
    unitsPerCall(task.targetLang) + unitsPerSegment,
  );
  const contexts = contextsBefore(groups);
  const touched = issuesByGroup(groups, worstIssues(issues)).flatMap((found, at) =>
    found ? [{ group: groups[at]!, context: contexts[at], found }] : [],
  );
  const questions = touched.map(
    ({ group, context, found }): Question<TranslatedSegments, string[]> => ({
      model,
      ...promptOf('repair', task, context, {
        segments: group.map(({ segment, source, translation, approximate }) => ({
          source,
          translation,
          approximate,
          ...noteOf(task, segment),
        })),
        issues: found.map(({ found_by: _, ...issue }) => issue),
      }),
      format: repairFormat,
      read: (reply) => readSegments(reply, group.length),
    }),
  );
  const { value, ...cost } = await askAll(questions, scope);

  const asked = touched.flatMap(({ group }) => group);
  const texts = value.flat();
  const repaired = new Map(asked.map((passage, index) => [passage, inPlace(passage, texts[index]!)]));
  const segments = task.segments.map(() => '');
  for (const passage of passages) segments[passage.segment] += repaired.get(passage) ?? passage.translation;
  return { value: segments, ...cost };
}

/**
 * Returns the issues to repair in each group; undefined for a group that does not change. A group gets the issues
 * whose span it contains, and all issues whose span is in no group. All groups are repaired if no span was found at
 * all, or if an issue without a found span is worse than minor: missing text has no span, and repair must add it.
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

/**
 * Returns the new text with the leading and trailing whitespace of the passage's translation or, if the translation
 * is blank, of its source.
 */
function inPlace({ source, translation }: RepairedPassage, text: string): string {
  return keepOuterSpace(translation.trim() === '' ? source : translation, text);
}
