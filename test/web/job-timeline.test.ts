import { describe, expect, test } from 'vitest';
import type { QualityIssue, TranslationJob } from '#sdk/types.ts';
import { reasonDetail } from '#web/app/screens/jobs/reason-detail.ts';
import { timelineOf } from '#web/app/screens/jobs/timeline.ts';
import type { Translate } from '../../web/app/i18n.tsx';

const issue = (explanation: string): QualityIssue => ({
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation,
  suggestion: null,
});

const step = (name: string, kind: 'agent' | 'human' = 'agent', output = '') => ({
  name,
  kind,
  actor: kind === 'human' ? 'ada@example.org' : 'agent',
  output_summary: output,
  decisions: [],
  started_at: '2026-01-01T00:00:00.000Z',
  completed_at: '2026-01-01T00:00:01.500Z',
});

function jobWith(change: object): TranslationJob {
  return {
    status: 'human_edited',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T01:00:00Z',
    request: { source_text: 'Text', metadata: {} },
    baseline_translation: 'Machine',
    final_translation: 'Person',
    quality_assessment: { score: 70, issues: [issue('a'), issue('b')] },
    refinement: { score: 75, rounds: 1, applied: false, issues: [issue('a')] },
    verification: { score: 72, passed: false, issues: [issue('a'), issue('c')] },
    agent_run: {
      steps: [
        step('baseline'),
        step('human_review', 'human', 'save'),
        step('human_review', 'human', 'modify'),
      ],
      quality_gate: {
        decision: 'needs_human',
        threshold: 85,
        triggers: [{ code: 'critical_issue', severity: 'blocking' }],
        reasons: ['a critical issue was found'],
        metadata: {},
      },
      human_review_task: { created_at: '2026-01-01T00:00:02Z', metadata: { notes: 'Negation' } },
      error: null,
    },
    ...change,
  } as unknown as TranslationJob;
}

describe('the timeline of a job', () => {
  test('has an event for each thing that happened, in order', () => {
    const events = timelineOf(jobWith({}));
    expect(events.map(({ kind }) => kind)).toEqual([
      'submitted',
      'translated',
      'checked',
      'repaired',
      'verified',
      'held',
      'saved',
      'edited',
      'published',
    ]);
    expect(events[1]).toMatchObject({ ms: 1500 });
    expect(events.at(-2)).toMatchObject({ who: 'ada@example.org', notes: 'Negation', isLast: true });
    expect(events.at(-3)).not.toHaveProperty('notes');
  });

  test('shows an issue once, with all passes that found it', () => {
    const issues = timelineOf(jobWith({})).flatMap((event) => ('issues' in event ? event.issues : []));
    expect(issues.map(({ issue: { explanation }, passes }) => [explanation, ...passes])).toEqual([
      ['a', 'assessment', 'refinement', 'verification'],
      ['b', 'assessment'],
      ['c', 'verification'],
    ]);
  });

  test('names the glossary or memory that served a text, which is not learned again', () => {
    const provenance = { origin: 'terminology', set_name: 'Hotel' };
    const served = jobWith({
      status: 'published',
      quality_assessment: null,
      refinement: null,
      verification: null,
      agent_run: {
        steps: [{ ...step('fast_path'), decisions: [{ provenance }] }],
        quality_gate: {
          decision: 'pass',
          triggers: [],
          reasons: [],
          metadata: { fast_path: 'glossary_exact' },
        },
        human_review_task: null,
        error: null,
      },
    });
    expect(timelineOf(served).slice(1)).toMatchObject([
      { kind: 'served', origin: 'terminology', setName: 'Hotel' },
      { kind: 'published', isLearned: false },
    ]);
  });

  test('ends with the error of a job that failed', () => {
    const failed = jobWith({
      status: 'failed',
      baseline_translation: null,
      quality_assessment: null,
      refinement: null,
      verification: null,
      agent_run: { steps: [], quality_gate: null, human_review_task: null, error: 'no model' },
    });
    expect(timelineOf(failed).slice(1)).toMatchObject([{ kind: 'failed', error: 'no model' }]);
  });
});

describe('the detail of a reason for a review', () => {
  const details = (codes: string[], change: { score?: number; domain?: string; metadata?: object }) => {
    const { score = 70, domain, metadata = {} } = change;
    const job = {
      request: { domain },
      agent_run: { quality_gate: { score, threshold: 85, metadata } },
    } as unknown as TranslationJob;
    const t = ((id: string, values: object = {}) => [id, ...Object.values(values)].join(' ')) as Translate;
    return codes.map((code) => reasonDetail(code, job, t, String)?.replace(/[\u2066-\u2069]/g, ''));
  };

  test('is made from the data of the job, so that it is in the interface language', () => {
    const metadata = {
      risk_flags: ['sensitive', 'hidden_text', 'encoded_text'],
      terminology_gate: {
        ...{ missing_terms: ['acta', 'vecino'], inflected_terms: ['parcelas'] },
        forbidden_terms: [{ term: 'lote', found: 'lotes' }],
      },
    };
    const codes = ['policy_required', 'sensitive_content', 'low_quality_score', 'risk_flag'];
    expect(details(codes, { domain: ' Legal', metadata })).toEqual([
      'jobs.reason_domain legal',
      'jobs.reason_options sensitive',
      'jobs.reason_score 70 85',
      'jobs.risk_hidden_text jobs.risk_encoded_text',
    ]);
    expect(details(['terminology_noncompliant', 'terminology_uncertainty'], { metadata })).toEqual([
      'jobs.reason_missing acta, vecino jobs.reason_forbidden lotes',
      'jobs.reason_inflected parcelas',
    ]);
    expect(details(['critical_issue'], {})).toEqual(['']);
  });

  test("is the service's text if the data is missing, or the code or a risk is unknown", () => {
    const metadata = { risk_flags: ['hidden_text', 'later_risk'] };
    expect(details(['policy_required', 'terminology_noncompliant', 'later_code'], {})).toEqual(
      Array(3).fill(undefined),
    );
    expect(details(['risk_flag'], { metadata })).toEqual([undefined]);
  });
});
