import { setImmediate } from 'node:timers/promises';
import type { QualityIssue, Translations, TranslationTask } from '#server/engines/engine.ts';
import { clip } from '../intake/check-request.ts';
import { checkIntegrity } from '../integrity/index.ts';
import { checkPlausibility } from '../plausibility/index.ts';
import { joinSegments, type SourceText } from './source-text.ts';

/** Checks a translation without a model. */
export type Inspect = (
  task: TranslationTask,
  candidate: Translations,
) => QualityIssue[] | Promise<QualityIssue[]>;

/** A hostile page may have an issue in each of its thousands of texts. */
const mostIssues = 100;

/** UTF-16 units. A lost link may have fifty thousand, and issues are sent to models and shown to reviewers. */
const longestSpan = 300;
const longestText = 600;

/** Milliseconds of work after which other requests may run. */
const sliceMs = 20;

/**
 * The checks that no model can override: integrity (what the source must not lose) and plausibility (what cannot be a translation of it).
 * Nearly all their issues are critical: they are repaired if possible, and block publishing if they stay.
 *
 * HTML is checked block by block, so that a bad block cannot hide among good ones, and a placeholder cannot move into another paragraph. The
 * page is checked as a whole too, since language and length are clearer in a longer text.
 */
export function inspectorOf({ blocks }: Pick<SourceText, 'blocks'>): Inspect {
  return async (task, candidate) => {
    const { sourceLang, targetLang, textType } = task;
    const pick = (texts: readonly string[], block: readonly number[]) =>
      joinSegments(block.map((index) => texts[index] ?? ''));
    const issues: QualityIssue[] = [];
    let since = performance.now();
    for (const block of blocks) {
      if (performance.now() - since > sliceMs) {
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

/** For the stub engine, whose echo is exempt from the checks (C 4). */
export const inspectNothing: Inspect = () => [];
