import { beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { engineOf } from '#test/setup/engine.ts';

/** An engine with known costs that behaves like a live one. The test selects the call that fails. */
const control: { failing: 'translate' | 'assess' | 'verify' | undefined; plainModel: boolean } = {
  failing: undefined,
  plainModel: false,
};
beforeEach(() => {
  control.failing = undefined;
  control.plainModel = false;
});

async function call<T>(
  name: NonNullable<typeof control.failing>,
  value: T,
  model: string,
  inputTokens: number,
  outputTokens: number,
) {
  if (control.failing === name) throw new AppError('transient_error', `${name} failed`);
  return { value, models: control.plainModel ? [] : [model], inputTokens, outputTokens };
}

const good = { score: 95, issues: [], summary: 'good' };
const engine = engineOf(() => call('translate', ['une traduction'], 'writer', 1000, 200), {
  assess: () => call('assess', good, 'judge', 30, 4),
  verify: () => call('verify', { ...good, passed: true }, 'writer', 500, 60),
});

const app = useTestApp({ engine, env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

type Fields = Record<string, unknown>;

async function newTenant() {
  const { tenantId, headers } = await app.signUp();
  return {
    tenantId,
    submit: (fields: Fields) => app.json('POST', '/api/translations', { headers, body: fields }),
    list: async () => (await app.json('GET', '/api/translations', { headers })).body,
    /** The usage records of the job, with the month that PostgreSQL computes from its updated_at. */
    records: async () => {
      const sql = openSuperuser(app.superuserUrl);
      const rows = await sql`select * from usage_records where tenant_id = ${tenantId}`;
      return rows.map((row) => ({ ...row }) as Fields);
    },
  };
}

// Five code points, of which two consist of two UTF-16 units each.
const astral = 'a😀b𝄞c';

describe('the usage record of a delivered job (A 2.5)', () => {
  test('every field, of a published job', async () => {
    const { tenantId, submit, records } = await newTenant();
    const { status, body: job } = await submit({
      source_text: astral,
      source_lang: 'EN',
      target_lang: 'fr-ca',
    });
    expect(status).toBe(200);
    expect(await records()).toEqual([
      {
        tenant_id: tenantId,
        job_id: job.id,
        kind: 'text',
        billing_period: job.updated_at.slice(0, 7),
        source_lang: 'en',
        target_lang: 'fr-CA',
        source_chars: 5,
        billable_chars: 5,
        job_status: 'published',
        fast_path: null,
        input_tokens: 1530,
        output_tokens: 264,
        total_tokens: 1794,
        models: ['writer', 'judge'],
        submitted_by: 'api_key',
        recorded_at: new Date(job.updated_at),
      },
    ]);
    expect(job.updated_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  test('of a job that awaits review, in a dense script', async () => {
    const { submit, records } = await newTenant();
    const { body: job } = await submit({ source_text: astral, target_lang: 'ja', domain: 'legal' });
    expect(job.status).toBe('awaiting_review');
    // 5 × 3.5 = 17.5, rounded up.
    const weighed = { target_lang: 'ja', source_chars: 5, billable_chars: 18 };
    expect(await records()).toMatchObject([
      { ...weighed, job_status: 'awaiting_review', total_tokens: 1794 },
    ]);
  });
});

describe('a job that failed is not billed', () => {
  test.each(['translate', 'assess', 'verify'] as const)('where %s failed', async (failing) => {
    control.failing = failing;
    const { submit, list, records } = await newTenant();
    const { status } = await submit({ source_text: 'Hello', target_lang: 'fr' });
    expect(status).toBe(503);
    expect(await list()).toMatchObject([{ status: 'failed' }]);
    expect(await records()).toEqual([]);
  });

  test('its resend is billed, for its own usage', async () => {
    control.failing = 'verify';
    const { submit, records } = await newTenant();
    const text = { source_text: astral, target_lang: 'ja', idempotency_key: 'again' };
    expect((await submit(text)).status).toBe(503);
    control.failing = undefined;
    const { body } = await submit(text);
    expect(body.status).toBe('published');
    expect(await records()).toMatchObject([
      {
        job_id: body.id,
        billable_chars: 18,
        input_tokens: 1530,
        output_tokens: 264,
        job_status: 'published',
      },
    ]);
  });
});
