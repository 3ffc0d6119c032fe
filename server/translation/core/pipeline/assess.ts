import { setImmediate } from 'node:timers/promises';
import { clip } from '#server/formats/text.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type {
  Judgement,
  QualityIssue,
  Translations,
  TranslationTask,
  Verification,
} from '#server/platform/engines/engine.ts';
import { checkIntegrity } from '../integrity/index.ts';
import { termIssues } from '../leverage/terms.ts';
import { checkPlausibility } from '../plausibility/index.ts';
import { joinSegments, type SourceText } from './source-text.ts';
import { type Inspect, recordStep, type StepDeps, spend } from './step.ts';

/** A judgement of a candidate, with the service's own findings. */
export interface Assessed extends Judgement {
  candidate: Translations;
  model: string | null;
  /** Glossary compliance; null without a glossary. */
  compliance: TermCompliance | null;
}

/** Scores a candidate with the engine and adds the findings of the service's own checks. `name` is the step's in the trace. */
export function assessCandidate(
  deps: StepDeps,
  task: TranslationTask,
  candidate: Translations,
  name: 'quality_assessment' | 'reassessment',
): Promise<Assessed> {
  return recordStep(
    deps.steps,
    { name, actor: 'quality_judge', input: name === 'reassessment' ? 'repaired translation' : 'translation' },
    async () => {
      const result = await deps.engine.assess(task, candidate, deps.scope);
      const compliance = (await deps.terms?.check(candidate)) ?? null;
      const findings = [
        ...(await deps.inspect(task, candidate)),
        ...(compliance ? termIssues(compliance) : []),
      ];
      const value = {
        ...result.value,
        issues: [...findings, ...result.value.issues],
        candidate,
        compliance,
        model: result.models[0] ?? null,
      };
      return {
        value,
        output: `score ${value.score}, ${findings.length} findings of our own`,
        metadata: spend(deps, result),
      };
    },
  );
}

/** Whether any issue is critical. Such a text is never published without review (B 2.3). */
export function isCritical({ issues }: Pick<Judgement, 'issues'>): boolean {
  return issues.some(({ severity }) => severity === 'critical');
}

/** Whether a glossary term is missing. Such a text is never published without review (B 1 rule 4). */
export function missesTerms({ compliance }: Pick<Assessed, 'compliance'>): boolean {
  return compliance?.passed === false;
}

/** Verifies the final translation. It passes only if the service's own checks find nothing critical. */
export function verifyFinal(
  deps: StepDeps,
  task: TranslationTask,
  candidate: Translations,
): Promise<Verification> {
  return recordStep(
    deps.steps,
    { name: 'verification', actor: 'verifier', input: 'final translation' },
    async () => {
      const result = await deps.engine.verify(task, candidate, deps.scope);
      const issues = [...(await deps.inspect(task, candidate)), ...result.value.issues];
      const value = { ...result.value, issues, passed: result.value.passed && !isCritical({ issues }) };
      return {
        value,
        output: `${value.passed ? 'passed' : 'not passed'}, score ${value.score}`,
        metadata: spend(deps, result),
      };
    },
  );
}

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

/** An issue at a length that may be stored and shown. */
export function clipped({ span, explanation, suggestion, ...issue }: QualityIssue): QualityIssue {
  return {
    ...issue,
    span: span && clip(span, longestSpan),
    explanation: clip(explanation, longestText),
    suggestion: suggestion && clip(suggestion, longestText),
  };
}

/** For the stub engine, whose echo is exempt from the checks (C 4). */
export const inspectNothing: Inspect = () => [];

/** Whether a finding keeps a document from being approved until somebody confirms it. */
export function isCriticalIssue({ severity }: QualityIssue): boolean {
  return severity === 'critical';
}
