import type { Judgement, Translations, TranslationTask, Verification } from '#server/engines/engine.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import { termIssues } from '../leverage/terms.ts';
import { recordStep, type StepDeps, spend } from './step.ts';

/** A judge's finding with the service's own, and what was judged. */
export interface Assessed extends Judgement {
  candidate: Translations;
  model: string | null;
  /** What the glossary says of it; null without one. */
  compliance: TermCompliance | null;
}

/** Scores a candidate: the judge's word, and the vetoes beside it. `name` is the step's in the trace. */
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
      const answer = await deps.engine.assess(task, candidate, deps.scope);
      const compliance = (await deps.terms?.check(candidate)) ?? null;
      const vetoes = [
        ...(await deps.inspect(task, candidate)),
        ...(compliance ? termIssues(compliance) : []),
      ];
      const value = {
        ...answer.value,
        issues: [...vetoes, ...answer.value.issues],
        candidate,
        compliance,
        model: answer.models[0] ?? null,
      };
      return {
        value,
        output: `score ${value.score}, ${vetoes.length} findings of our own`,
        metadata: spend(deps, answer),
      };
    },
  );
}

/** Whether any issue is critical: it blocks autonomous publication whatever the score (B 2.3). */
export function isCritical({ issues }: Pick<Judgement, 'issues'>): boolean {
  return issues.some(({ severity }) => severity === 'critical');
}

/** Whether it misses a glossary term: it cannot publish by itself either, whatever its score (B 1 rule 4). */
export function missesTerms({ compliance }: Pick<Assessed, 'compliance'>): boolean {
  return compliance?.passed === false;
}

/** The last look at what would be published. It passes only if the vetoes are silent too. */
export function verifyFinal(
  deps: StepDeps,
  task: TranslationTask,
  candidate: Translations,
): Promise<Verification> {
  return recordStep(
    deps.steps,
    { name: 'verification', actor: 'verifier', input: 'final translation' },
    async () => {
      const answer = await deps.engine.verify(task, candidate, deps.scope);
      const issues = [...(await deps.inspect(task, candidate)), ...answer.value.issues];
      const value = { ...answer.value, issues, passed: answer.value.passed && !isCritical({ issues }) };
      return {
        value,
        output: `${value.passed ? 'passed' : 'not passed'}, score ${value.score}`,
        metadata: spend(deps, answer),
      };
    },
  );
}
