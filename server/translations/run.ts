import type { CallScope, Engine } from '#server/engines/engine.ts';
import { type Leverage, noLeverage } from './leverage/leverage.ts';
import { findTerms, type TermsInText } from './leverage/terms.ts';
import { writtenMetadata } from './leverage/written-metadata.ts';
import type { AgentRun, AgentStep, QualityGate, TranslationJob, TranslationRequest } from './schema.ts';
import { assessCandidate } from './steps/assess.ts';
import { translateBaseline } from './steps/baseline.ts';
import { debateCandidates } from './steps/debate.ts';
import type { RunCost, StepDeps } from './steps/deps.ts';
import { type FastPath, takeFastPath } from './steps/fast-path.ts';
import { asksForReview, decideFastPathGate, decideGate } from './steps/gate.ts';
import { gatherLeverage } from './steps/gather.ts';
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
  /** Which fast path served the text; null where it was translated. */
  fastPath: FastPath['name'] | null;
  /** What the pipeline wrote into request.metadata; null for nothing. */
  metadata: Record<string, unknown> | null;
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

/** What one run works on. */
interface Running {
  engine: Engine;
  request: TranslationRequest;
  scope: CallScope;
  leverage: Leverage;
  steps: AgentStep[];
  cost: RunCost;
}

/** What a run is made of beside its text. */
export interface RunParts {
  leverage?: Leverage;
  /** Told of a search that failed: the run goes on without it. */
  searchFailed?: (error: unknown) => void;
}

/**
 * The pipeline of B 3.1 for one text: what the glossary or the memory holds is served; anything else goes through baseline,
 * assessment, bounded repair, verification and gate. It touches no database of its own, holds no transaction, and may take
 * as long as its models do.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TranslationRequest,
  scope: CallScope,
  { leverage = noLeverage, searchFailed = () => {} }: RunParts = {},
): Promise<RunResult> {
  const steps: AgentStep[] = [];
  const cost: RunCost = { inputTokens: 0, outputTokens: 0, models: [] };
  try {
    const text = readSourceText(request);
    const terms = await findTerms(text, leverage.glossary, text.plain, scope.signal);
    const held = asksForReview(request);
    const fastPath = await takeFastPath(steps, { request, text, leverage, terms, held });
    const running: Running = { engine, request, scope, leverage, steps, cost };
    if (fastPath) return serve(running, terms, fastPath);
    return await translate(running, text, terms, searchFailed);
  } catch (error) {
    throw new RunError(error, steps);
  }
}

/** B 8 rule 1: the stored text as it is, and no translation call. */
function serve({ request, steps, cost }: Running, terms: TermsInText | null, fastPath: FastPath): RunResult {
  const gate = decideFastPathGate(request, readQualityOptions(request.metadata).threshold, fastPath);
  return {
    ...endOf(gate, steps),
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
  { engine, request, scope, leverage, steps, cost }: Running,
  text: ReturnType<typeof readSourceText>,
  terms: TermsInText | null,
  searchFailed: (error: unknown) => void,
): Promise<RunResult> {
  const options = readQualityOptions(request.metadata);
  const gathered = await gatherLeverage(steps, leverage, terms, {
    refused: leverage.exact,
    failed: searchFailed,
  });
  const { rebuild } = text;
  const task = { ...text.task, ...gathered };
  const inspect = engine.live ? inspectorOf(text) : inspectNothing;
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
    () => {
      const value = decideGate({
        request,
        threshold: options.threshold,
        assessment,
        final,
        verification,
        repaired: repaired.applied,
        repairDelta: repairDelta(joinSegments(candidate), joinSegments(final.candidate)),
        compliance: final.compliance,
        risks: riskFlags({ sourceText: joinSegments(task.segments) }),
      });
      return { value, output: value.decision };
    },
  );
  const { candidate: _, compliance: __, ...judged } = assessment;
  return {
    ...endOf(gate, steps),
    baseline_translation: rebuild(baseline),
    final_translation: rebuild(final.candidate),
    quality_assessment: judged,
    refinement: describeRepair(repaired),
    verification,
    cost,
    fastPath: null,
    metadata: writtenMetadata(terms, final.compliance, null),
  };
}

/** How a run ends by its gate: published, or held with a task for a human. */
function endOf(gate: QualityGate, steps: AgentStep[]): Pick<RunResult, 'status' | 'agentRun'> {
  const passes = gate.decision === 'pass';
  return {
    status: passes ? 'published' : 'awaiting_review',
    agentRun: {
      status: 'completed',
      steps,
      quality_gate: gate,
      human_review_task: passes ? null : openReviewTask(gate),
      error: null,
    },
  };
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
