import type { Translations, TranslationTask, Verification } from '#server/engines/engine.ts';
import { recordStep } from '../trace.ts';
import { isCritical } from './assess.ts';
import { type StepDeps, spend } from './deps.ts';

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
