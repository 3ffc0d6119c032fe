import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { PATH, submittingTo, triggerCodes } from './submitting.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { accepted } = submittingTo(app, () => tenant);

describe('B 2.6: metadata', () => {
  test('the caller’s keys are returned unchanged, on every read', async () => {
    const metadata = {
      order: 7,
      'clé 😀': ['a', { b: null }, 1.5, true],
      '': 'empty name',
      nested: { tenant: { id: 'kept inside' }, deep: [[[]]] },
    };
    const job = await accepted({ metadata });
    expect(job.request.metadata).toMatchObject(metadata);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request.metadata).toMatchObject(metadata);
  });

  test.each([
    ['an object', { id: 'someone else', name: 'Evil', extra: 'smuggled' }],
    ['null', null],
    ['a string', 'smuggled'],
  ])('tenant is always overwritten: %s', async (_name, forged) => {
    const job = await accepted({ metadata: { tenant: forged } });
    expect(job.request.metadata.tenant).toEqual({ id: tenant.tenantId, name: 'Maison Übersetzung' });
  });
});

describe('B 2.6: min_quality_score', () => {
  test.each([
    [-5, 0, 'published'],
    [92, 92, 'published'],
    [92.5, 92.5, 'awaiting_review'],
    [150, 100, 'awaiting_review'],
  ])('%d sets the threshold to %d, and a score of 92 is then %s', async (asked, threshold, status) => {
    const job = await accepted({ metadata: { min_quality_score: asked } });
    expect(job.status).toBe(status);
    expect(job.agent_run.quality_gate.threshold).toBe(threshold);
    expect(triggerCodes(job)).toEqual(status === 'published' ? [] : ['low_quality_score']);
  });
});

describe('B 2.1, 2.6, C 7: forced review', () => {
  test.each(['finance', 'financial', 'healthcare', 'legal', 'medical', 'pharma'])(
    'domain %s forces review with policy_required',
    async (domain) => {
      const job = await accepted({ domain });
      expect(job.status).toBe('awaiting_review');
      expect(triggerCodes(job)).toEqual(['policy_required']);
      expect(job.request.domain).toBe(domain);
    },
  );

  test.each(['marketing', 'legalese', 'finances', 'constructor', ''])(
    'domain %j forces nothing',
    async (domain) => {
      const job = await accepted({ domain });
      expect(job.status).toBe('published');
      expect(triggerCodes(job)).toEqual([]);
    },
  );

  test.each(['sensitive', 'regulated', 'requires_human_review'])(
    '%s, any truthy value, forces review with sensitive_content',
    async (flag) => {
      for (const value of [true, 1, -1, 'yes', 'false', '0', { a: 1 }, ['a']]) {
        const job = await accepted({ metadata: { [flag]: value } });
        expect(job.status).toBe('awaiting_review');
        expect(triggerCodes(job)).toEqual(['sensitive_content']);
        expect(job.request.metadata[flag]).toEqual(value);
      }
      for (const value of [false, 0, '', null]) {
        const job = await accepted({ metadata: { [flag]: value } });
        expect(job.status).toBe('published');
      }
    },
  );

  test('min_quality_score 0 does not lift a forced review', async () => {
    for (const fields of [{ domain: 'legal' }, {}]) {
      const sensitive = !('domain' in fields);
      const job = await accepted({ ...fields, metadata: { min_quality_score: 0, sensitive } });
      expect(job.status).toBe('awaiting_review');
    }
  });
});
