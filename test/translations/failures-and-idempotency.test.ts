import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { PATH, submittingTo, usageOf, useWatchedEngine } from './submitting.ts';

const { engineControl, watchedEngine } = useWatchedEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: watchedEngine });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { submit, accepted, expectRefused } = submittingTo(app, () => tenant);

describe('A 7.1, B 3.1: a pipeline that fails', () => {
  test('returns 500 internal error without the cause; the job stays as failed and is not billed', async () => {
    const { headers } = await app.signUp();
    engineControl.fail = () => new Error('the cause, 4711-secret');
    const answer = await submit({}, headers);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      detail: 'internal error',
      error_code: 'internal_error',
      request_id: answer.headers.get('x-request-id'),
    });
    const { body } = await app.json('GET', PATH, { headers });
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ status: 'failed', agent_run: { error: 'internal error' } });
    expect(JSON.stringify(body)).not.toContain('4711-secret');
    expect(await usageOf(openSuperuser(app.superuserUrl), body[0].id)).toEqual([]);
  });
});

describe('B 4.2: idempotency', () => {
  const key = (value: string, headers = tenant.headers) => ({ ...headers, 'idempotency-key': value });

  test('the body field works like the header', async () => {
    const first = await submit({ idempotency_key: 'in-body' });
    expect(first.body.request.idempotency_key).toBe('in-body');
    for (const again of [await submit({ idempotency_key: 'in-body' }), await submit({}, key('in-body'))]) {
      expect(again.body.id).toBe(first.body.id);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
  });

  test('B 2.1: the header fills the field only where it is absent or null', async () => {
    const both = await submit({ idempotency_key: 'field' }, key('header'));
    expect(both.body.request.idempotency_key).toBe('field');
    expect((await submit({ idempotency_key: 'field' })).body.id).toBe(both.body.id);
    const header = await submit({}, key('header'));
    expect(header.body.id).not.toBe(both.body.id);
    expect(header.body.request.idempotency_key).toBe('header');
  });

  test('50 submissions with one key at the same time: one job, one run, one usage record', async () => {
    const { headers } = await app.signUp();
    const before = engineControl.calls;
    await accepted({}, headers);
    const single = engineControl.calls - before;
    const start = engineControl.calls;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        submit(
          { source_text: `Copy ${i}`, ...(i % 2 && { idempotency_key: 'fifty' }) },
          key('fifty', headers),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const fresh = answers.filter(({ headers: h }) => h.get('idempotency-replayed') !== 'true');
    expect(fresh).toHaveLength(1);
    expect(fresh[0]!.body.status).toBe('published');
    expect(engineControl.calls - start).toBe(single);

    const sql = openSuperuser(app.superuserUrl);
    const { id } = answers[0]!.body;
    expect(await usageOf(sql, id)).toHaveLength(1);
    const list = (await app.json('GET', PATH, { headers })).body;
    expect(list.map((job: { id: string }) => job.id)).toHaveLength(2);
    // The last response is the stored job.
    const read = await app.json('GET', `${PATH}/${id}`, { headers });
    expect(read.body).toEqual(fresh[0]!.body);
  });

  test('C 7: 1 to 255 characters, counted as code points', async () => {
    for (const value of ['k', 'k'.repeat(255), '😀'.repeat(255)]) {
      const job = await accepted({ idempotency_key: value });
      expect(job.request.idempotency_key).toBe(value);
      expect((await submit({ idempotency_key: value })).body.id).toBe(job.id);
    }
    for (const value of ['', 'k'.repeat(256), '😀'.repeat(256)]) {
      await expectRefused({ idempotency_key: value }, { status: 422 });
    }
    expect((await submit({}, key('k'.repeat(255)))).status).toBe(200);
    expect((await submit({}, key('k'.repeat(256)))).status).toBe(422);
  });
});
