import { describeForLog } from '#server/errors.ts';
import type { Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import { type Draft, type Run, spend } from './run.ts';
import { newDecision, recordStep } from './trace.ts';

/** A translation of the whole text by one model. */
interface Candidate {
  /** The name of the model; null for the deployment's default model. */
  model: string | null;
  translations: Translations;
}

/**
 * Translates a text with each candidate model, compares the results with the baseline as often as the policy demands, and
 * returns the winner. The other candidates stay in the trace.
 */
export async function debateCandidates(run: Run, task: TranslationTask, baseline: Draft): Promise<Draft> {
  const { candidateModels, debateRounds } = run.policy;
  const extras = await Promise.all(candidateModels.map((model) => translateWith(run, task, model)));
  const candidates = [
    { model: null, translations: baseline.translations },
    ...extras.filter((candidate) => candidate !== undefined),
  ];
  if (candidates.length === 1) return baseline;
  return { ...baseline, translations: await compareCandidates(run, task, candidates, debateRounds) };
}

/** Translates with one candidate model. Returns undefined if that fails: the run continues with the baseline. */
async function translateWith(run: Run, task: TranslationTask, model: string): Promise<Candidate | undefined> {
  const description = {
    name: 'candidate',
    actor: 'translator',
    input: 'the same text, another model',
    metadata: { asked_model: model, failure: undefined as object | undefined },
  };
  try {
    return await recordStep(run.steps, description, async () => {
      const result = await run.engine.translate(task, run.scope, model);
      return {
        value: { model, translations: result.value },
        output: 'candidate translation',
        metadata: spend(run, result),
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
  run: Run,
  task: TranslationTask,
  candidates: Candidate[],
  rounds: number,
): Promise<Translations> {
  return recordStep(
    run.steps,
    { name: 'debate', actor: 'refiner', input: `${candidates.length} candidates, ${rounds} rounds` },
    async () => {
      const wins = candidates.map(() => 0);
      const spent: object[] = [];
      const decisions = [];
      for (let round = 0; round < rounds; round++) {
        // Judge models favor certain positions, so each round begins with a different candidate.
        const order = candidates.map((_, place) => (place + round) % candidates.length);
        const shown = order.map((index) => (candidates[index] as Candidate).translations);
        const result = await run.engine.compare(task, shown, run.scope);
        const winner = order[result.value.winner] ?? 0;
        wins[winner] = (wins[winner] ?? 0) + 1;
        spent.push(spend(run, result));
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
