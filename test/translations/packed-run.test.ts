import { expect, test } from 'vitest';
import { readGate, readRun } from '#server/translation/texts/packed-run.ts';

/** A row as versions before 1.0.0 stored it. */
const row = {
  packedRun:
    '[1,"01a21a2f00c28b05b4a2431fa680f5b3",[[0,0,1],[1,1,0],[2,1,1],[3,2,2]],0,[{"score":92,"summary":"synthetic score of the stub engine"}],0,0]',
  agentRun: { status: 'completed', steps: [], quality_gate: null, human_review_task: null, error: null },
  qualityAssessment: null,
  refinement: null,
  verification: null,
  baselineTranslation: null,
  finalTranslation: '[fr] A text.',
};
const gate = {
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
};
const step = (
  last: string,
  name: string,
  actor: string,
  summaries: [string, string],
  ms: [number, number],
) => ({
  id: `01a21a2f00c28b05b4a2431fa680f5${last}`,
  name,
  actor,
  kind: name === 'quality_gate' ? 'system' : 'agent',
  status: 'completed',
  input_summary: summaries[0],
  output_summary: summaries[1],
  tool_calls: [],
  decisions: [],
  error: null,
  started_at: `2026-11-26T23:26:57.${ms[0]}Z`,
  completed_at: `2026-11-26T23:26:57.${ms[1]}Z`,
  ...(name !== 'quality_gate' && { metadata: { models: [], input_tokens: 0, output_tokens: 0 } }),
});

test('a run that a former version stored packed is read as it was', () => {
  const judged = { score: 92, issues: [], summary: 'synthetic score of the stub engine' };
  expect(readRun(row, { source_lang: 'en', target_lang: 'fr' })).toEqual({
    baseline_translation: '[fr] A text.',
    final_translation: '[fr] A text.',
    quality_assessment: { ...judged, model: null },
    refinement: { score: 92, issues: [], applied: false, rounds: 0, summary: 'no repair was needed' },
    verification: { ...judged, passed: true },
    agent_run: {
      status: 'completed',
      steps: [
        step('b3', 'baseline', 'translator', ['en to fr', 'baseline translation'], [730, 731]),
        step(
          'b4',
          'quality_assessment',
          'quality_judge',
          ['translation', "score 92, 0 findings of the service's checks"],
          [731, 731],
        ),
        step('b5', 'verification', 'verifier', ['final translation', 'passed, score 92'], [731, 732]),
        step('b6', 'quality_gate', 'review_gate_agent', ['scores and policy', 'pass'], [732, 734]),
      ],
      quality_gate: gate,
      human_review_task: null,
      error: null,
    },
  });
  expect(readGate(null, row.packedRun)).toEqual(gate);
});

test('a packed run in a format of a later version is not read', () => {
  expect(() => readGate(null, '[2]')).toThrow('the format 2 of a packed run is not known');
});
