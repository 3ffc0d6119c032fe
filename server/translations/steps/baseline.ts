import type { Translations, TranslationTask } from '#server/engines/engine.ts';
import { recordStep } from '../trace.ts';
import { type StepDeps, spend } from './deps.ts';

/** The first translation (B 3.1 `translated`). `model` asks another model than the deployment's own. */
export function translateBaseline(
  deps: StepDeps,
  task: TranslationTask,
  model: string | undefined,
): Promise<Translations> {
  return recordStep(
    deps.steps,
    { name: 'baseline', actor: 'translator', input: `${task.sourceLang} to ${task.targetLang}` },
    async () => {
      const answer = await deps.engine.translate(task, deps.scope, model);
      return { value: answer.value, output: 'baseline translation', metadata: spend(deps, answer) };
    },
  );
}
