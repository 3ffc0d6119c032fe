import type { Judgement, Translations, TranslationTask, Verification } from '#server/engines/engine.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import { termIssues } from '../leverage/terms.ts';
import { recordStep, type StepDeps, spend } from './step.ts';

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
