import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

describe('POST /api/translations', () => {
  test('B 1 rule 1: the job is published when the response arrives, in the shape of B 2.2', async () => {
    const { headers, tenantId } = await app.signUp();
    const { status, body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: 'published',
      baseline_translation: '[fr] Hello',
      final_translation: '[fr] Hello',
      request: { source_text: 'Hello', source_lang: 'en', target_lang: 'fr', idempotency_key: null },
      quality_assessment: { score: 92, issues: [] },
      verification: { score: 92, issues: [], passed: true },
      agent_run: { status: 'completed', quality_gate: { decision: 'pass', score: 92, threshold: 85 } },
    });
    expect(body.request.metadata.tenant.id).toBe(tenantId);
  });
});
