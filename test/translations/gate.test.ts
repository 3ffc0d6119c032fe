import { describe, expect, test } from 'vitest';
import type { Judgement, QualityIssue, Verification } from '#server/platform/engines/engine.ts';
import { decideGate } from '#server/translation/core/pipeline/quality-gate.ts';
import { readQualityOptions } from '#server/translation/core/pipeline/quality-options.ts';

function issue(severity: QualityIssue['severity'], explanation = 'x'): QualityIssue {
  return { severity, category: 'accuracy', span: null, explanation, suggestion: null };
}

interface Case {
  domain?: string | null;
  metadata?: Record<string, unknown>;
  /** The issues of the final translation. */
  assessment?: Partial<Judgement>;
  /** The issues of the baseline, if there was a repair. */
  baseline?: Partial<Judgement>;
  verification?: Partial<Verification>;
  repaired?: boolean;
  repairDelta?: number;
  risks?: string[];
}

function gate({ domain = null, metadata = {}, ...given }: Case = {}) {
  const judgement: Judgement = { score: 92, issues: [], summary: '' };
  const final = { ...judgement, ...given.assessment };
  return decideGate({
    request: { domain, metadata },
    threshold: readQualityOptions(metadata).threshold,
    assessment: { ...final, ...given.baseline },
    final,
    verification: { ...judgement, passed: true, ...given.verification },
    repaired: given.repaired ?? false,
    repairDelta: given.repairDelta ?? 0,
    compliance: null,
    risks: given.risks ?? [],
  });
}

const codes = (given: Case) => gate(given).triggers.map(({ code }) => code);

test('B 2.3: a good translation passes, with no trigger, no reason and the metadata of the gate', () => {
  expect(gate()).toEqual({
    decision: 'pass',
    score: 92,
    threshold: 85,
    triggers: [],
    reasons: [],
    metadata: {
      assessment_score: 92,
      verification_score: 92,
      verification_passed: true,
      risk_flags: [],
      trigger_codes: [],
      terminology_gate: null,
      repaired: false,
    },
  });
});

describe('the score is the lower of the two', () => {
  test.each([
    [70, 95, 70],
    [95, 70, 70],
    [0, 100, 0],
    [88.5, 88.5, 88.5],
  ])('%d and %d', (assessed, verified, score) => {
    const decided = gate({ assessment: { score: assessed }, verification: { score: verified } });
    expect(decided.score).toBe(score);
    expect(decided.metadata).toMatchObject({ assessment_score: assessed, verification_score: verified });
    expect(decided.decision).toBe(score < 85 ? 'needs_human' : 'pass');
  });
});

describe('the threshold', () => {
  test.each([
    [{}, 85],
    [{ min_quality_score: 0 }, 0],
    [{ min_quality_score: 92.5 }, 92.5],
    [{ min_quality_score: 100 }, 100],
    [{ min_quality_score: 101 }, 100],
    [{ min_quality_score: -1 }, 0],
    [{ min_quality_score: Number.POSITIVE_INFINITY }, 100],
    [{ min_quality_score: Number.NaN }, 85],
    [{ min_quality_score: '50' }, 85],
    [{ min_quality_score: null }, 85],
    [{ min_quality_score: true }, 85],
    [{ min_quality_score: [50] }, 85],
  ])('of %j is %d', (metadata, threshold) => {
    expect(gate({ metadata }).threshold).toBe(threshold);
  });

  test.each([
    [84, {}, false],
    [84.99, {}, false],
    [85, {}, true],
    [0, { min_quality_score: 0 }, true],
    [0, { min_quality_score: -5 }, true],
    [92, { min_quality_score: 92 }, true],
    [92, { min_quality_score: 93 }, false],
    [100, { min_quality_score: 400 }, true],
    [99, { min_quality_score: 400 }, false],
  ])('a score of %d with %j publishes: %s', (score, metadata, publishes) => {
    expect(codes({ metadata, assessment: { score }, verification: { score } })).toEqual(
      publishes ? [] : ['low_quality_score'],
    );
  });
});

describe('critical issues', () => {
  test.each<[string, Case, boolean]>([
    ['of the assessment alone', { assessment: { issues: [issue('critical')] } }, true],
    ['of the verification alone', { verification: { issues: [issue('critical')] } }, true],
    ['behind lesser ones', { verification: { issues: [issue('minor'), issue('critical')] } }, true],
    [
      'lesser ones only',
      {
        assessment: { issues: [issue('major')] },
        verification: { issues: [issue('major'), issue('minor')] },
      },
      false,
    ],
  ])('%s', (_, given, blocks) => {
    expect(codes(given)).toEqual(blocks ? ['critical_issue'] : []);
    expect(gate(given).decision).toBe(blocks ? 'needs_human' : 'pass');
  });

  test('the reason quotes the first critical one', () => {
    const { reasons } = gate({
      verification: { issues: [issue('major', 'a nuance'), issue('critical', 'negation lost')] },
    });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain('negation lost');
  });
});

test('a verification that did not pass blocks whatever its score', () => {
  const decided = gate({ verification: { passed: false, score: 100 } });
  expect(decided.triggers).toEqual([{ code: 'verification_failed', severity: 'blocking' }]);
  expect(decided.metadata['verification_passed']).toBe(false);
  expect(decided.decision).toBe('needs_human');
});

describe('the regulated domains', () => {
  test.each([
    'finance',
    'financial',
    'healthcare',
    'legal',
    'medical',
    'pharma',
    'Legal',
    'MEDICAL',
    ' Finance ',
  ])('%j needs a human', (domain) => {
    expect(codes({ domain })).toEqual(['policy_required']);
  });

  test.each([null, '', ' ', 'marketing', 'legalese', 'paralegal', 'legal finance'])(
    '%j does not',
    (domain) => {
      expect(codes({ domain })).toEqual([]);
    },
  );
});

describe('the review flags', () => {
  test.each(['sensitive', 'regulated', 'requires_human_review'])('%s', (flag) => {
    for (const truthy of [true, 1, 'yes', 'false', {}, []]) {
      const decided = gate({ metadata: { [flag]: truthy } });
      expect(decided.triggers).toEqual([{ code: 'sensitive_content', severity: 'blocking' }]);
      expect(decided.reasons[0]).toContain(flag);
      expect(decided.metadata['risk_flags']).toEqual([flag]);
    }
    for (const falsy of [false, 0, '', null, undefined]) {
      const decided = gate({ metadata: { [flag]: falsy } });
      expect(decided.triggers).toEqual([]);
      expect(decided.metadata['risk_flags']).toEqual([]);
    }
  });

  test('several flags are one trigger that names them all', () => {
    const decided = gate({
      metadata: { sensitive: true, requires_human_review: 1, regulated: 0, other: true },
    });
    expect(decided.triggers).toHaveLength(1);
    expect(decided.metadata['risk_flags']).toEqual(['sensitive', 'requires_human_review']);
    expect(decided.reasons[0]).toMatch(/sensitive.*requires_human_review/);
  });
});

describe('repair', () => {
  test('the translation after repair decides, and the baseline is only listed', () => {
    const decided = gate({
      assessment: { score: 93 },
      baseline: { score: 40, issues: [issue('critical')] },
      repaired: true,
    });
    expect(decided).toMatchObject({ decision: 'pass', score: 92, triggers: [] });
    expect(decided.metadata).toMatchObject({ assessment_score: 40, repaired: true });
  });

  test.each([
    [0, []],
    [0.5, []],
    [0.51, ['high_repair_delta']],
    [1, ['high_repair_delta']],
  ])('that changed a share of %d triggers %j', (repairDelta, expected) => {
    expect(codes({ repaired: true, repairDelta })).toEqual(expected);
  });
});

test('B 2.3: a risk flag is a warning on a job that publishes by itself', () => {
  const decided = gate({ risks: ['instruction_like_source'] });
  expect(decided).toMatchObject({
    decision: 'pass',
    triggers: [{ code: 'risk_flag', severity: 'warning' }],
    reasons: ['the source reads like orders to a model'],
  });
  expect(decided.metadata).toMatchObject({
    trigger_codes: ['risk_flag'],
    risk_flags: ['instruction_like_source'],
  });
});

test('every trigger is stamped, blocking, and has its own reason in order; none is a warning', () => {
  const decided = gate({
    domain: 'Legal',
    metadata: { sensitive: true, min_quality_score: 90 },
    assessment: { score: 71, issues: [issue('critical', 'negation lost')] },
    verification: { score: 80, passed: false },
  });
  const reasonOf: Record<string, RegExp> = {
    policy_required: /domain "legal"/,
    sensitive_content: /sensitive/,
    low_quality_score: /71.*90/,
    critical_issue: /negation lost/,
    verification_failed: /verification did not pass/,
  };
  expect(decided.decision).toBe('needs_human');
  expect(decided.triggers.map(({ code }) => code).sort()).toEqual(Object.keys(reasonOf).sort());
  expect(new Set(decided.triggers.map(({ severity }) => severity))).toEqual(new Set(['blocking']));
  expect(decided.metadata['trigger_codes']).toEqual(decided.triggers.map(({ code }) => code));
  expect(decided.reasons).toHaveLength(decided.triggers.length);
  decided.triggers.forEach(({ code }, index) => {
    expect(decided.reasons[index]).toMatch(reasonOf[code] as RegExp);
  });
});
