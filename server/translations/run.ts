import type { CallScope, Engine } from '#server/engines/engine.ts';
import type { AgentRun, AgentStep, TranslationJob, TranslationRequest } from './schema.ts';
import { assessCandidate } from './steps/assess.ts';
import { translateBaseline } from './steps/baseline.ts';
import { debateCandidates } from './steps/debate.ts';
import type { RunCost, StepDeps } from './steps/deps.ts';
import { decideGate } from './steps/gate.ts';
import { inspectNothing, inspectorOf } from './steps/inspect.ts';
import { readQualityOptions } from './steps/quality-options.ts';
import { type Repaired, repairLoop } from './steps/repair.ts';
import { repairDelta } from './steps/repair-delta.ts';
import { openReviewTask } from './steps/review-task.ts';
import { joinSegments, readSourceText } from './steps/source-text.ts';
import { verifyFinal } from './steps/verify.ts';
import { recordStep } from './trace.ts';
import { riskFlags } from './vetoes/index.ts';

/** Everything a finished run adds to its job. */
export interface RunResult
  extends Pick<
    TranslationJob,
    'baseline_translation' | 'final_translation' | 'quality_assessment' | 'refinement' | 'verification'
  > {
  status: 'published' | 'awaiting_review';
  agentRun: AgentRun;
  cost: RunCost;
}

/** A run that failed, with the steps it got through. */
export class RunError extends Error {
  override name = 'RunError';
  readonly steps: AgentStep[];
  constructor(cause: unknown, steps: AgentStep[]) {
    super('the pipeline failed', { cause });
    this.steps = steps;
  }
}

/**
 * The pipeline of B 3.1 for one text: baseline, assessment, bounded repair, verification, gate. It touches no
 * database, holds no transaction, and may take as long as its models do.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TranslationRequest,
  scope: CallScope,
): Promise<RunResult> {
  const steps: AgentStep[] = [];
  const cost: RunCost = { inputTokens: 0, outputTokens: 0, models: [] };
  const options = readQualityOptions(request.metadata);
  try {
    const text = readSourceText(request);
    const { task, rebuild } = text;
    const inspect = engine.live ? inspectorOf(text) : inspectNothing;
    const deps: StepDeps = { engine, inspect, scope, steps, cost };
    const baseline = await translateBaseline(deps, task, options.primaryModel);
    const candidate = await debateCandidates(deps, task, baseline, options);
    const assessment = await assessCandidate(deps, task, candidate, 'quality_assessment');
    const repaired = await repairLoop(deps, task, assessment, options);
    const final = repaired.best;
    const verification = await verifyFinal(deps, task, final.candidate);
    const gate = await recordStep(
      steps,
      { name: 'quality_gate', actor: 'review_gate_agent', kind: 'system', input: 'scores and policy' },
      () => {
        const value = decideGate({
          request,
          threshold: options.threshold,
          assessment,
          final,
          verification,
          repaired: repaired.applied,
          repairDelta: repairDelta(joinSegments(candidate), joinSegments(final.candidate)),
          risks: riskFlags({ sourceText: joinSegments(task.segments) }),
        });
        return { value, output: value.decision };
      },
    );

    const { candidate: _, ...judged } = assessment;
    return {
      status: gate.decision === 'pass' ? 'published' : 'awaiting_review',
      baseline_translation: rebuild(baseline),
      final_translation: rebuild(final.candidate),
      quality_assessment: judged,
      refinement: describeRepair(repaired),
      verification,
      agentRun: {
        status: 'completed',
        steps,
        quality_gate: gate,
        human_review_task: gate.decision === 'pass' ? null : openReviewTask(gate),
        error: null,
      },
      cost,
    };
  } catch (error) {
    throw new RunError(error, steps);
  }
}

function describeRepair({ best, rounds, applied }: Repaired): NonNullable<TranslationJob['refinement']> {
  const { score, issues } = best;
  if (rounds === 0) return { score, issues, applied, rounds, summary: 'no repair was needed' };
  const outcome = applied ? 'a repaired translation goes on' : 'no repair was better';
  return {
    score,
    issues,
    applied,
    rounds,
    summary: `${outcome} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of repair`,
  };
}
