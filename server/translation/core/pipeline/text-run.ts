import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import { type CallScope, type Engine, engineFor } from '#server/platform/engines/engine.ts';
import type {
  AgentRun,
  AgentStep,
  QualityAssessment,
  Refinement,
  VerificationResult,
} from '../agent-run-schema.ts';
import { gatherLeverage, type Leverage } from '../leverage/leverage.ts';
import type { TextRequest } from '../request.ts';
import { type FastPath, takeFastPath } from './fast-path.ts';
import { writtenMetadata } from './metadata.ts';
import { type Translated, translateTexts } from './pipeline.ts';
import { textPolicy } from './policy.ts';
import { prepareText } from './prepared-text.ts';
import { decideGate, endOf } from './quality-gate.ts';
import { openRun, type RunCost } from './run.ts';

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
  /** The TM segments of which the translation is made. */
  servedFrom: readonly MemoryHit[];
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

/** The optional inputs of a run. */
interface RunParts {
  leverage?: Leverage;
  /** Called with the error if the search for matches fails; the run continues without matches. */
  searchFailed?: (error: unknown) => void;
}

/**
 * Runs the pipeline for one text. A text found in the glossary or TM is served from there.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TextRequest,
  scope: CallScope,
  { leverage, searchFailed = () => {} }: RunParts = {},
): Promise<RunResult> {
  const own = await engineFor(engine, scope).catch((error: unknown) => {
    throw new RunError(error, []);
  });
  const run = openRun(own, scope, textPolicy(request));
  const { policy, steps, cost } = run;
  try {
    if (leverage?.redaction !== undefined) engine.redaction?.begin(leverage.redaction, scope);
    const prepared = await prepareText(request, leverage, scope.signal);
    const { text, terms } = prepared;
    const fastPath = await takeFastPath(steps, prepared, scope, policy.rules.length > 0);
    if (fastPath)
      return {
        ...endOf(decideGate(policy, null, fastPath), steps),
        baseline_translation: fastPath.translation,
        final_translation: fastPath.translation,
        quality_assessment: null,
        refinement: null,
        verification: null,
        cost,
        fastPath: fastPath.name,
        servedFrom: fastPath.hit ? [fastPath.hit] : [],
        metadata: writtenMetadata(terms, fastPath.compliance, fastPath),
      };
    const gathered = await gatherLeverage(steps, prepared, searchFailed);
    const [done] = (await translateTexts(run, { ...text.task, ...gathered }, [prepared])) as [Translated];
    const metadata = writtenMetadata(terms, done.final.compliance, null, done.final.assembledFrom);
    const receipt = await engine.redaction?.receiptOf(text.task.segments, scope);
    return {
      ...endOf(done.gate, steps),
      baseline_translation: text.rebuild(done.baseline.translations),
      final_translation: text.rebuild(done.final.translations),
      quality_assessment: done.first.judgement,
      refinement: describeRepair(done),
      verification: done.verification,
      cost,
      fastPath: null,
      servedFrom: done.final.assembledFrom ?? [],
      metadata: receipt || metadata ? { ...metadata, ...(receipt && { redaction: receipt }) } : null,
    };
  } catch (error) {
    throw new RunError(error, steps);
  }
}

function describeRepair({ first, final, rounds }: Translated): Refinement {
  const { score, issues } = final.judgement;
  const applied = final !== first;
  const outcome = applied ? 'a repaired translation is used' : 'no repair improved the translation';
  const after = `${outcome} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of repair`;
  return { score, issues, applied, rounds, summary: rounds === 0 ? 'no repair was needed' : after };
}
