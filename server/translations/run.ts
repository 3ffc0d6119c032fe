import type { Engine, EngineAnswer, TranslationTask } from '#server/engines/engine.ts';
import type { AgentRun, AgentStep, TranslationJob, TranslationRequest } from './schema.ts';
import { decideGate } from './steps/gate.ts';
import { openReviewTask } from './steps/review-task.ts';
import { recordStep } from './trace.ts';

/** What the models of one run cost; operator only. */
export interface RunCost {
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

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
 * The pipeline of B 3.1 for one text: baseline, assessment, verification, gate. It touches no database, holds
 * no transaction, and may take as long as its models do.
 * @throws RunError
 */
export async function runPipeline(engine: Engine, request: TranslationRequest): Promise<RunResult> {
  const steps: AgentStep[] = [];
  const cost: RunCost = { inputTokens: 0, outputTokens: 0, models: [] };
  const task = translationTask(request);
  try {
    const baseline = await recordStep(
      steps,
      { name: 'baseline', actor: 'translator', input: `${task.sourceLang} to ${task.targetLang}` },
      async () => {
        const answer = meter(cost, await engine.translate(task));
        return { value: answer.value, output: 'baseline translation', metadata: spent(answer) };
      },
    );
    const assessment = await recordStep(
      steps,
      { name: 'quality_assessment', actor: 'quality_judge', input: 'baseline translation' },
      async () => {
        const answer = meter(cost, await engine.assess(task, baseline));
        const value = { ...answer.value, model: answer.model };
        return { value, output: `score ${value.score}`, metadata: spent(answer) };
      },
    );
    const verification = await recordStep(
      steps,
      { name: 'verification', actor: 'verifier', input: 'final translation' },
      async () => {
        const answer = meter(cost, await engine.verify(task, baseline));
        const outcome = answer.value.passed ? 'passed' : 'not passed';
        return {
          value: answer.value,
          output: `${outcome}, score ${answer.value.score}`,
          metadata: spent(answer),
        };
      },
    );
    const gate = await recordStep(
      steps,
      { name: 'quality_gate', actor: 'review_gate_agent', kind: 'system', input: 'scores and policy' },
      () => {
        const value = decideGate({ request, assessment, verification });
        return { value, output: value.decision };
      },
    );

    return {
      status: gate.decision === 'pass' ? 'published' : 'awaiting_review',
      baseline_translation: baseline,
      final_translation: baseline,
      quality_assessment: assessment,
      refinement: {
        score: assessment.score,
        issues: assessment.issues,
        applied: false,
        rounds: 0,
        summary: 'no repair was needed',
      },
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

function translationTask(request: TranslationRequest): TranslationTask {
  return {
    sourceText: request.source_text,
    sourceLang: request.source_lang,
    targetLang: request.target_lang,
    textType: request.text_type ?? 'Plain',
    tone: request.tone ?? null,
    gender: request.gender ?? null,
    domain: request.domain ?? null,
  };
}

function meter<T>(cost: RunCost, answer: EngineAnswer<T>): EngineAnswer<T> {
  cost.inputTokens += answer.inputTokens;
  cost.outputTokens += answer.outputTokens;
  if (answer.model !== null && !cost.models.includes(answer.model)) cost.models.push(answer.model);
  return answer;
}

function spent<T>(answer: EngineAnswer<T>) {
  const { model, inputTokens, outputTokens } = answer;
  return { model, input_tokens: inputTokens, output_tokens: outputTokens };
}
