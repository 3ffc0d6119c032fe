import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('a page of long translations ends before it is too large, and the next ones carry on', async () => {
  const { headers, tenantId } = await app.signUp();
  const ids: string[] = [];
  for (let i = 0; i < 30; i++) {
    const { body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: `Text ${i}`, target_lang: 'fr' },
    });
    ids.push(body.id);
  }
  const sql = openSuperuser(app.superuserUrl);
  await sql`
    update translation_jobs set final_translation = repeat('x', 1000000) where tenant_id = ${tenantId}`;

  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const query = `limit=200${cursor && `&cursor=${cursor}`}`;
    const answer = await app.request(`/api/translations?${query}`, { headers });
    const text = await answer.text();
    expect(text.length).toBeLessThan(10_000_000);
    const jobs = JSON.parse(text) as { id: string }[];
    expect(jobs.length).toBeGreaterThan(0);
    seen.push(...jobs.map(({ id }) => id));
    cursor = answer.headers.get('x-next-cursor');
  }
  expect(pages).toBeGreaterThan(2);
  expect(seen.toSorted()).toEqual(ids.toSorted());
  expect(new Set(seen).size).toBe(30);
});
