import type { AgentStep, QualityIssue, TranslationJob } from '#sdk/types.ts';

/** The passes that look for issues, in order. */
export type Pass = 'assessment' | 'refinement' | 'verification';

/** An issue, and the passes that found it. */
export interface SeenIssue {
  issue: QualityIssue;
  passes: readonly Pass[];
}

/** A segment of a TM, or a glossary term, that a translation was taken from. */
type Origin = 'terminology' | 'tmx_import' | 'golden_approved';

/** An event of a job. `at` is a time, ISO 8601; `ms` a duration. Both are undefined if they are not known. */
export type TimelineEvent = { at?: string | undefined; ms?: number | undefined } & (
  | { kind: 'submitted' }
  | { kind: 'served'; origin: Origin | undefined; setName: string | undefined }
  | { kind: 'translated'; terms: number; setNames: string[]; matches: number }
  | { kind: 'checked'; score: number; threshold: number | undefined; issues: SeenIssue[] }
  | { kind: 'repaired'; rounds: number; isApplied: boolean; score: number; issues: SeenIssue[] }
  | { kind: 'verified'; isPassed: boolean; score: number; issues: SeenIssue[] }
  | { kind: 'held'; reasons: { code: string | undefined; isBlocking: boolean; text: string }[] }
  | {
      kind: 'saved' | 'approved' | 'edited' | 'rejected' | 'reopened';
      who: string;
      /** The API key whose client named the reviewer. */
      via: AgentStep['claimed_via'];
      notes?: string;
      isLast: boolean;
    }
  | { kind: 'published'; isLearned: boolean }
  | { kind: 'unpublished' | 'failed' | 'running'; error?: string }
);

/** Converts a job to the events that its timeline shows, oldest first. */
export function timelineOf(job: TranslationJob): TimelineEvent[] {
  return [
    { kind: 'submitted', at: job.created_at },
    ...pipelineEvents(job),
    ...reviewEvents(job),
    ...endOf(job),
  ];
}

function pipelineEvents(job: TranslationJob): TimelineEvent[] {
  const { quality_assessment: assessment, refinement, verification, agent_run: run } = job;
  const { quality_gate: gate } = run;
  const issues = issuesByPass(job);
  const events: TimelineEvent[] = [];
  if (gate?.metadata['fast_path']) events.push(servedEvent(job));
  else if (job.baseline_translation !== null) events.push(translatedEvent(job));
  if (assessment)
    events.push({
      kind: 'checked',
      ms: durationOf(run.steps, 'quality_assessment'),
      score: assessment.score,
      threshold: gate?.threshold,
      issues: issues.assessment,
    });
  if (refinement && refinement.rounds > 0)
    events.push({
      kind: 'repaired',
      ms: durationOf(run.steps, 'repair'),
      rounds: refinement.rounds,
      isApplied: refinement.applied,
      score: refinement.score,
      issues: issues.refinement,
    });
  if (verification)
    events.push({
      kind: 'verified',
      ms: durationOf(run.steps, 'verification'),
      isPassed: verification.passed,
      score: verification.score,
      issues: issues.verification,
    });
  if (gate?.decision === 'needs_human')
    events.push({
      kind: 'held',
      at: timeOf(run.steps, 'quality_gate') ?? run.human_review_task?.created_at,
      reasons: gate.reasons.map((text, place) => ({
        code: gate.triggers[place]?.code,
        isBlocking: gate.triggers[place]?.severity === 'blocking',
        text,
      })),
    });
  return events;
}

function servedEvent({ agent_run: { steps } }: TranslationJob): TimelineEvent {
  const served = steps.flatMap(({ decisions }) => decisions).find(({ provenance }) => provenance);
  return { kind: 'served', origin: served?.provenance?.origin, setName: served?.provenance?.set_name };
}

function translatedEvent({ request, agent_run: { steps } }: TranslationJob): TimelineEvent {
  const entries = request.metadata?.['terminology_entries'];
  const terms: { set_name?: unknown }[] = Array.isArray(entries) ? entries : [];
  const names = terms.map(({ set_name: name }) => name).filter((name) => typeof name === 'string');
  const matches = steps
    .flatMap(({ decisions }) => decisions)
    .filter(({ provenance }) => provenance && provenance.origin !== 'terminology');
  return {
    kind: 'translated',
    ms: durationOf(steps, 'baseline'),
    terms: terms.length,
    setNames: [...new Set(names)],
    matches: matches.length,
  };
}

/** The actions of a review, by the name that the step of the review records. */
const actions = {
  save: 'saved',
  approve: 'approved',
  modify: 'edited',
  reject: 'rejected',
  reopen: 'reopened',
} as const;

function reviewEvents({ agent_run: { steps, human_review_task: task } }: TranslationJob): TimelineEvent[] {
  const reviews = steps.filter(({ kind }) => kind === 'human');
  return reviews.flatMap((step, index): TimelineEvent[] => {
    const kind = actions[step.output_summary as keyof typeof actions];
    if (!kind) return [];
    const isLast = index === reviews.length - 1;
    const notes = isLast ? task?.metadata['notes'] : undefined;
    return [
      {
        kind,
        at: step.completed_at ?? step.started_at,
        who: step.actor,
        via: step.claimed_via,
        isLast,
        ...(typeof notes === 'string' && notes !== '' && { notes }),
      },
    ];
  });
}

function endOf({ status, updated_at: at, agent_run: run }: TranslationJob): TimelineEvent[] {
  const error = run.error ?? undefined;
  if (status === 'published' || status === 'human_edited')
    return [{ kind: 'published', at, isLearned: !run.quality_gate?.metadata['fast_path'] }];
  if (status === 'persistence_failed') return [{ kind: 'unpublished', at, ...(error && { error }) }];
  if (status === 'failed') return [{ kind: 'failed', at, ...(error && { error }) }];
  if (status === 'pending' || status === 'translated' || status === 'approved') return [{ kind: 'running' }];
  return [];
}

/**
 * The issues of a job, each at the first pass that found it. The passes of a translation mostly find the same issues, so
 * that a list for each pass would repeat them.
 */
function issuesByPass(job: TranslationJob): Record<Pass, SeenIssue[]> {
  const passes = [
    ['assessment', job.quality_assessment?.issues],
    ['refinement', job.refinement?.rounds ? job.refinement.issues : undefined],
    ['verification', job.verification?.issues],
  ] as const;
  const found = new Map<string, { issue: QualityIssue; passes: Pass[] }>();
  for (const [pass, issues = []] of passes)
    for (const issue of issues) {
      const { severity, category, span, explanation } = issue;
      const key = JSON.stringify([severity, category, span, explanation]);
      const seen = found.get(key) ?? { issue, passes: [] };
      if (!seen.passes.includes(pass)) seen.passes.push(pass);
      found.set(key, seen);
    }
  const firstIn = (pass: Pass) => [...found.values()].filter(({ passes: [first] }) => first === pass);
  return {
    assessment: firstIn('assessment'),
    refinement: firstIn('refinement'),
    verification: firstIn('verification'),
  };
}

/** The duration of all steps with a name. The service may rename steps; nothing is shown then. */
function durationOf(steps: readonly AgentStep[], name: string): number | undefined {
  const durations = steps.flatMap(({ name: one, started_at: from, completed_at: to }) =>
    one === name && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : [],
  );
  return durations.length > 0 ? durations.reduce((sum, one) => sum + one, 0) : undefined;
}

function timeOf(steps: readonly AgentStep[], name: string): string | undefined {
  return steps.find((step) => step.name === name)?.completed_at ?? undefined;
}
