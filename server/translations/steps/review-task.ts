import { newId } from '#server/ids.ts';
import type { HumanReviewTask, QualityGate } from '../schema.ts';

/** The task that a gate which defers to a human opens (B 2.3). */
export function openReviewTask(gate: QualityGate): HumanReviewTask {
  return {
    id: newId(),
    status: 'open',
    requested_by: 'review_gate_agent',
    reason: gate.reasons.join('; '),
    question: 'Is this translation fit to publish?',
    instructions: null,
    requested_actions: ['save', 'approve', 'modify', 'reject'],
    triggers: gate.triggers,
    completed_by: null,
    created_at: new Date().toISOString(),
    completed_at: null,
    metadata: {},
  };
}
