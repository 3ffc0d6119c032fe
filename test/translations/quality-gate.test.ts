import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { codeOf, submittingTo, triggerCodes, useWatchedEngine } from './submitting.ts';

const { engineControl, watchedEngine } = useWatchedEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: watchedEngine });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { accepted } = submittingTo(app, () => tenant);

describe('B 2.3: the quality gate', () => {
  const GATE_METADATA = [
    'assessment_score',
    'verification_score',
    'verification_passed',
    'risk_flags',
    'trigger_codes',
    'terminology_gate',
    'repaired',
  ];

  test('a passing gate has every field and its metadata', async () => {
    const { agent_run } = await accepted();
    const gate = agent_run.quality_gate;
    expect(gate).toMatchObject({
      decision: 'pass',
      score: 92,
      threshold: 85,
      triggers: [],
      reasons: [],
      metadata: {
        assessment_score: 92,
        verification_score: 92,
        verification_passed: true,
        risk_flags: expect.any(Array),
        trigger_codes: [],
        repaired: false,
      },
    });
    for (const key of GATE_METADATA) expect(gate.metadata).toHaveProperty(key);
    expect(gate.metadata).not.toHaveProperty('fast_path');
    expect(agent_run.human_review_task ?? null).toBeNull();
  });

  test('reasons are strings, one for each trigger, in the same order', async () => {
    const raise = { min_quality_score: 99 };
    const alone = await Promise.all([
      accepted({ domain: 'legal' }),
      accepted({ metadata: { sensitive: true } }),
      accepted({ metadata: raise }),
    ]);
    const reasonOf = new Map<string, string>();
    for (const { agent_run } of alone) {
      const { triggers, reasons } = agent_run.quality_gate;
      expect(triggers).toHaveLength(1);
      expect(reasons).toEqual([expect.stringMatching(/./)]);
      reasonOf.set(codeOf(triggers[0]), reasons[0]);
    }
    const codes = ['low_quality_score', 'policy_required', 'sensitive_content'];
    expect([...reasonOf.keys()].sort()).toEqual(codes);

    const together = await accepted({ domain: 'legal', metadata: { ...raise, sensitive: true } });
    const gate = together.agent_run.quality_gate;
    expect(triggerCodes(together).toSorted()).toEqual(codes);
    expect(gate.reasons).toEqual(triggerCodes(together).map((code) => reasonOf.get(code)));
    expect(gate.metadata.trigger_codes).toEqual(triggerCodes(together));
    expect(gate.decision).toBe('needs_human');
  });

  test('several flags at once stamp sensitive_content once', async () => {
    const metadata = { sensitive: true, regulated: 1, requires_human_review: 'yes' };
    const job = await accepted({ metadata });
    expect(triggerCodes(job)).toEqual(['sensitive_content']);
    expect(job.agent_run.quality_gate.reasons).toHaveLength(1);
  });

  test('low_quality_score: a score under the threshold is held', async () => {
    engineControl.bend = (answer) => {
      if ('score' in answer) answer['score'] = 84;
    };
    const job = await accepted();
    expect(triggerCodes(job)).toContain('low_quality_score');
    expect(job).toMatchObject({
      status: 'awaiting_review',
      agent_run: { quality_gate: { decision: 'needs_human', score: 84, threshold: 85 } },
    });
  });

  const issue = (severity: string) => ({
    severity,
    category: 'accuracy',
    span: 'Hello',
    explanation: 'the meaning is turned round',
    suggestion: null,
  });
  const raiseIssue = (severity: string) => {
    engineControl.bend = (answer) => {
      if (Array.isArray(answer['issues'])) answer['issues'] = [issue(severity)];
    };
  };

  test('critical_issue: any critical issue blocks publication, whatever the score', async () => {
    raiseIssue('critical');
    const job = await accepted({ metadata: { min_quality_score: 0 } });
    expect(job.status).toBe('awaiting_review');
    expect(triggerCodes(job)).toContain('critical_issue');
    expect(job.agent_run.quality_gate.reasons).toHaveLength(triggerCodes(job).length);
    expect(job.quality_assessment.issues).toEqual([issue('critical')]);
    expect(job.verification.issues).toEqual([issue('critical')]);
  });

  test.each(['minor', 'major'])('a %s issue does not block by itself', async (severity) => {
    raiseIssue(severity);
    const job = await accepted();
    expect(triggerCodes(job)).not.toContain('critical_issue');
    expect(job.quality_assessment.issues).toEqual([issue(severity)]);
    expect(job.status).toBe('published');
  });

  test('verification_failed: a verification that did not pass is held, whatever the score', async () => {
    engineControl.bend = (answer) => {
      if ('passed' in answer) answer['passed'] = false;
    };
    const job = await accepted({ metadata: { min_quality_score: 0 } });
    expect(job.status).toBe('awaiting_review');
    expect(triggerCodes(job)).toContain('verification_failed');
    expect(job.verification.passed).toBe(false);
    expect(job.agent_run.quality_gate.metadata.verification_passed).toBe(false);
  });

  test('every trigger of a held job is named in B 2.3, and at least one blocks', async () => {
    engineControl.bend = (answer) => {
      if ('score' in answer) answer['score'] = 10;
      if ('passed' in answer) answer['passed'] = false;
      if (Array.isArray(answer['issues'])) answer['issues'] = [issue('critical')];
    };
    const job = await accepted({ domain: 'pharma', metadata: { regulated: true } });
    const { triggers } = job.agent_run.human_review_task;
    const known =
      /^(policy_required|low_quality_score|critical_issue|terminology_uncertainty|terminology_noncompliant|sensitive_content|high_repair_delta|verification_failed|risk_flag)$/;
    for (const { code, severity } of triggers) {
      expect(code).toMatch(known);
      expect(severity).toMatch(/^(info|warning|blocking)$/);
    }
    expect(triggers.some(({ severity }: { severity: string }) => severity === 'blocking')).toBe(true);
    expect(triggers.map(codeOf)).toEqual(
      expect.arrayContaining([
        'policy_required',
        'sensitive_content',
        'low_quality_score',
        'critical_issue',
        'verification_failed',
      ]),
    );
    expect(new Set(triggers.map(codeOf)).size).toBe(triggers.length);
  });
});
