import type { CallScope, Engine } from '#server/platform/engines/engine.ts';
import type {
  AgentRun,
  AgentStep,
  QualityAssessment,
  Refinement,
  VerificationResult,
} from '../agent-run-schema.ts';
import { inspectNothing, inspectorOf } from '../checks.ts';
import { gatherLeverage, type Leverage } from '../leverage/leverage.ts';
import type { TextRequest } from '../request.ts';
import {
  assessCandidate,
  noCost,
  type RunCost,
  recordStep,
  type StepDeps,
  translateBaseline,
  verifyFinal,
} from './agent-steps.ts';
import { debateCandidates } from './candidates.ts';
import { type FastPath, takeFastPath } from './fast-path.ts';
import { writtenMetadata } from './metadata.ts';
import { type PreparedText, prepareText } from './prepared-text.ts';
import { decideFastPathGate, decideGate, endOf, reviewRulesOf } from './quality-gate.ts';
import { readQualityOptions } from './quality-options.ts';
import { type Repaired, repairDelta, repairLoop } from './repair.ts';
import { joinSegments } from './source-text.ts';
import { risksOfTask } from './task-risks.ts';

/** The fields that a finished run adds to its job. */
export interface RunResult {
  baseline_translation: string;
  final_translation: string;
  /** Null for a text that a fast path serves. The same is true of the next two fields. */
  quality_assessment: QualityAssessment | null;
  refinement: Refinement | null;
  verification: VerificationResult | null;
  status: 'published' | 'awaiting_review';
  agentRun: AgentRun;
  cost: RunCost;
  /** The fast path that served the text; null if a model translated it. */
  fastPath: FastPath['name'] | null;
  /** Additions of the pipeline to request.metadata; null if it adds nothing. */
  metadata: Record<string, unknown> | null;
}

/** The error of a failed run, with the steps that the run recorded. `cause` is the original error. */
export class RunError extends Error {
  override name = 'RunError';
  readonly steps: AgentStep[];
  constructor(cause: unknown, steps: AgentStep[]) {
    super('the pipeline failed', { cause });
    this.steps = steps;
  }
}

/** The steps and the cost that a run records. */
type Trace = Pick<StepDeps, 'steps' | 'cost'>;

/** The optional inputs of a run. */
interface RunParts {
  leverage?: Leverage;
  /** Called with the error if the search for matches fails; the run continues without matches. */
  searchFailed?: (error: unknown) => void;
}

/**
 * Runs the pipeline for one text. A text found in the glossary or TM is served from there. Any other text passes
 * through baseline, candidates, assessment, bounded repair, verification and the quality gate. No transaction is open
 * during this, because models may take long.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TextRequest,
  scope: CallScope,
  { leverage, searchFailed = () => {} }: RunParts = {},
): Promise<RunResult> {
  const trace = { steps: [], cost: noCost() };
  try {
    const prepared = await prepareText(request, leverage, scope.signal);
    const fastPath = await takeFastPath(trace.steps, prepared, scope, reviewRulesOf(request).length > 0);
    if (fastPath) return serve(trace, prepared, fastPath);
    return await translate(engine, scope, trace, prepared, searchFailed);
  } catch (error) {
    throw new RunError(error, trace.steps);
  }
}

/** Serves the stored translation without a model call. */
function serve({ steps, cost }: Trace, { request, terms }: PreparedText, fastPath: FastPath): RunResult {
  return {
    ...endOf(decideFastPathGate(request, readQualityOptions(request.metadata).threshold, fastPath), steps),
    baseline_translation: fastPath.translation,
    final_translation: fastPath.translation,
    quality_assessment: null,
    refinement: null,
    verification: null,
    cost,
    fastPath: fastPath.name,
    metadata: writtenMetadata(terms, fastPath.compliance, fastPath),
  };
}

async function translate(
  engine: Engine,
  scope: CallScope,
  { steps, cost }: Trace,
  { request, text, leverage, terms }: PreparedText,
  searchFailed: (error: unknown) => void,
): Promise<RunResult> {
  const options = readQualityOptions(request.metadata);
  const task = { ...text.task, ...(await gatherLeverage(steps, leverage, terms, searchFailed)) };
  const inspect = engine.live ? inspectorOf(text, scope) : inspectNothing;
  const deps: StepDeps = { engine, inspect, terms, scope, steps, cost };
  const baseline = await translateBaseline(deps, task, options.primaryModel);
  const candidate = await debateCandidates(deps, task, baseline, options);
  const assessment = await assessCandidate(deps, task, candidate, 'quality_assessment');
  const repaired = await repairLoop(deps, task, assessment, options);
  const final = repaired.best;
  const verification = await verifyFinal(deps, task, final.candidate);
  const gate = await recordStep(
    steps,
    { name: 'quality_gate', actor: 'review_gate_agent', kind: 'system', input: 'scores and policy' },
    async () => {
      const value = decideGate({
        request,
        threshold: options.threshold,
        assessment,
        final,
        verification,
        repaired: repaired.applied,
        repairDelta: repairDelta(joinSegments(candidate), joinSegments(final.candidate)),
        compliance: final.compliance,
        risks: await risksOfTask(task, leverage.reviewsInstructions, scope),
        reviewsInstructions: leverage.reviewsInstructions,
      });
      return { value, output: value.decision };
    },
  );
  const { candidate: _, compliance: __, ...judged } = assessment;
  return {
    ...endOf(gate, steps),
    baseline_translation: text.rebuild(baseline),
    final_translation: text.rebuild(final.candidate),
    quality_assessment: judged,
    refinement: describeRepair(repaired),
    verification,
    cost,
    fastPath: null,
    metadata: writtenMetadata(terms, final.compliance, null),
  };
}

function describeRepair({ best, rounds, applied }: Repaired): Refinement {
  const { score, issues } = best;
  if (rounds === 0) return { score, issues, applied, rounds, summary: 'no repair was needed' };
  const outcome = applied ? 'a repaired translation is used' : 'no repair improved the translation';
  return {
    score,
    issues,
    applied,
    rounds,
    summary: `${outcome} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of repair`,
  };
}
