import { describeForLog } from '#server/errors.ts';
import type { Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import { newDecision, recordStep, type StepDeps, spend } from './agent-steps.ts';
import type { QualityOptions } from './quality-options.ts';

/** A translation of the whole text by one model. */
interface Candidate {
  /** The name of the model; null for the deployment's default model. */
  model: string | null;
  translations: Translations;
}

/**
 * Translates with each of `candidate_models`, compares the results with the baseline `debate_rounds` times, and returns
 * the winner. The other candidates stay in the trace. Without candidate models, returns the baseline and makes no
 * engine call.
 */
export async function debateCandidates(
  deps: StepDeps,
  task: TranslationTask,
  baseline: Translations,
  { candidateModels, debateRounds }: Pick<QualityOptions, 'candidateModels' | 'debateRounds'>,
): Promise<Translations> {
  if (candidateModels.length === 0) return baseline;
  const extras = await Promise.all(candidateModels.map((model) => translateWith(deps, task, model)));
  const candidates = [
    { model: null, translations: baseline },
    ...extras.filter((candidate) => candidate !== undefined),
  ];
  if (candidates.length === 1) return baseline;
  return compareCandidates(deps, task, candidates, debateRounds);
}

/** Translates with one candidate model. Returns undefined if that fails: the run continues with the baseline. */
async function translateWith(
  deps: StepDeps,
  task: TranslationTask,
  model: string,
): Promise<Candidate | undefined> {
  const description = {
    name: 'candidate',
    actor: 'translator',
    input: 'the same text, another model',
    metadata: { asked_model: model, failure: undefined as object | undefined },
  };
  try {
    return await recordStep(deps.steps, description, async () => {
      const result = await deps.engine.translate(task, deps.scope, model);
      return {
        value: { model, translations: result.value },
        output: 'candidate translation',
        metadata: spend(deps.cost, result),
      };
    });
  } catch (error) {
    // The failure is for operators only, like the model's name.
    description.metadata.failure = describeForLog(error);
    return undefined;
  }
}

/** Compares candidates `rounds` times and returns the winner. The other candidates stay in the trace. */
function compareCandidates(
  deps: StepDeps,
  task: TranslationTask,
  candidates: Candidate[],
  rounds: number,
): Promise<Translations> {
  return recordStep(
    deps.steps,
    { name: 'debate', actor: 'refiner', input: `${candidates.length} candidates, ${rounds} rounds` },
    async () => {
      const wins = candidates.map(() => 0);
      const spent: object[] = [];
      const decisions = [];
      for (let round = 0; round < rounds; round++) {
        // Judge models favor certain positions, so each round begins with a different candidate.
        const order = candidates.map((_, place) => (place + round) % candidates.length);
        const shown = order.map((index) => (candidates[index] as Candidate).translations);
        const result = await deps.engine.compare(task, shown, deps.scope);
        const winner = order[result.value.winner] ?? 0;
        wins[winner] = (wins[winner] ?? 0) + 1;
        spent.push(spend(deps.cost, result));
        decisions.push(newDecision(`round ${round + 1}`, `candidate ${winner + 1}`, result.value.rationale));
      }
      // In a tie, the first of the candidates wins; the very first is the baseline of the default model.
      const best = wins.indexOf(Math.max(...wins));
      return {
        value: (candidates[best] as Candidate).translations,
        output: `candidate ${best + 1} is kept`,
        decisions,
        metadata: {
          rounds: spent,
          wins,
          losers: candidates.filter((_, index) => index !== best),
        },
      };
    },
  );
}
