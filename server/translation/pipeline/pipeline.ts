import type { TranslationTask } from '#server/platform/engines/engine.ts';
import type { QualityGate } from '../agent-run-schema.ts';
import { draftTexts } from './baseline.ts';
import { debateCandidates } from './candidates.ts';
import { decideGate, type Judged } from './quality-gate.ts';
import { judge, repairLoop, verify } from './quality-loop.ts';
import type { Draft, Run, RunText } from './run.ts';
import { risksOfTask } from './task-risks.ts';
import { recordStep } from './trace.ts';

/** The result of the pipeline for one text. */
export interface Translated extends Judged {
  baseline: Draft;
  /** Number of repairs that the engine made. */
  rounds: number;
  gate: QualityGate;
}

/**
 * Translates texts by the policy of the run: baseline, candidates, assessment, bounded repair, verification and the
 * quality gate. No transaction is open during this, because models may take long.
 * @param task the task with the segments of all texts
 * @returns the result for each text, in the order of the texts
 */
export async function translateTexts(
  run: Run,
  task: TranslationTask,
  texts: readonly RunText[],
): Promise<Translated[]> {
  const { policy } = run;
  const baseline = await draftTexts(run, task, texts);
  const drafts =
    policy.candidateModels.length > 0 && !run.engine.ignoresModels
      ? await Promise.all(
          baseline.map((draft) => (draft.assembledFrom ? draft : debateCandidates(run, task, draft))),
        )
      : baseline;
  const assessed = await judge(run, task, drafts, 'quality_assessment');
  const { best, rounds } = await repairLoop(run, task, assessed);
  const [final] = best;
  const verification = policy.judgesEach || !final ? null : await verify(run, task, final);
  return recordStep(
    run.steps,
    { name: 'quality_gate', actor: 'review_gate_agent', kind: 'system', input: 'scores and policy' },
    async () => {
      const isReviewed = texts.some(({ leverage }) => leverage.reviewsInstructions);
      const segments = texts.flatMap(({ text }) => text.task.segments);
      const risks =
        policy.judgesEach && !(isReviewed && run.engine.live)
          ? []
          : await risksOfTask({ ...task, segments }, isReviewed, run.scope);
      const value = best.map((final, index) => {
        const { withoutJudge } = run.engine;
        const judged = { first: assessed[index]!, final, verification, risks, withoutJudge };
        return { ...judged, baseline: baseline[index]!, rounds, gate: decideGate(policy, judged) };
      });
      return { value, output: value.map(({ gate }) => gate.decision).join(', ') };
    },
  );
}
