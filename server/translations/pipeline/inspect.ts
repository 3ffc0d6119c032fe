import { setImmediate } from 'node:timers/promises';
import type { QualityIssue, Translations, TranslationTask } from '#server/engines/engine.ts';
import { clip } from '../intake/check-request.ts';
import { checkIntegrity } from '../integrity/index.ts';
import { checkPlausibility } from '../plausibility/index.ts';
import { joinSegments, type SourceText } from './source-text.ts';

/** What the service itself finds in a translation, whatever a model says of it. */
export type Inspect = (
  task: TranslationTask,
  candidate: Translations,
) => QualityIssue[] | Promise<QualityIssue[]>;

/** A hostile page has a finding for each of its thousands of texts; a reviewer and a repair need no more than these. */
const mostIssues = 100;

/** UTF-16 units: a lost link of fifty thousand is named by how it begins, as models and reviewers are told of it often. */
const longestSpan = 300;
const longestText = 600;

/** Milliseconds after which other requests get their turn. */
const turn = 20;

/**
 * The vetoes that no model can talk away: what the source must not lose (integrity), and what cannot be a translation
 * of it (plausibility). Nearly each is a critical issue, which goes through repair first and blocks publishing if it stays.
 *
 * Of HTML each block is looked at by itself: a bad one must not hide among good ones, nor a placeholder move into another
 * paragraph. The page is looked at as a whole too, since language and length tell more of a longer text.
 */
export function inspectorOf({ blocks }: Pick<SourceText, 'blocks'>): Inspect {
  return async (task, candidate) => {
    const { sourceLang, targetLang, textType } = task;
    const pick = (texts: readonly string[], block: readonly number[]) =>
      joinSegments(block.map((index) => texts[index] ?? ''));
    const issues: QualityIssue[] = [];
    let since = performance.now();
    for (const block of blocks) {
      if (performance.now() - since > turn) {
        await setImmediate();
        since = performance.now();
      }
      const texts = { sourceText: pick(task.segments, block), targetText: pick(candidate, block) };
      issues.push(
        ...checkIntegrity({ ...texts, sourceLang, targetLang, textType }),
        ...checkPlausibility({ ...texts, sourceLang, targetLang }),
      );
      if (issues.length >= mostIssues) break;
    }
    if (blocks.length > 1) {
      const texts = { sourceText: joinSegments(task.segments), targetText: joinSegments(candidate) };
      issues.push(...checkPlausibility({ ...texts, sourceLang, targetLang }));
    }
    return issues.slice(0, mostIssues).map(clipped);
  };
}

function clipped({ span, explanation, suggestion, ...issue }: QualityIssue): QualityIssue {
  return {
    ...issue,
    span: span && clip(span, longestSpan),
    explanation: clip(explanation, longestText),
    suggestion: suggestion && clip(suggestion, longestText),
  };
}

/** C 4: the stub's echo is no translation, and exempt. */
export const inspectNothing: Inspect = () => [];
