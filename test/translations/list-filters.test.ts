import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace, PATH, type Workspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let owner: Workspace;
/** The IDs of jobs, by a name for the special property of each. */
const made: Record<string, string> = {};
beforeAll(async () => {
  owner = await openWorkspace(app);
  const jobs: Record<string, Record<string, unknown>> = {
    plain: { target_lang: 'fr' },
    german: { target_lang: 'de', source_lang: 'fr' },
    legal: { target_lang: 'fr', domain: 'legal' },
    number: { target_lang: 'fr', metadata: { n: 5, project: 'alpha' } },
    text: { target_lang: 'fr', metadata: { n: '5', 'a.b[c]': 'x' } },
    yes: { target_lang: 'fr', metadata: { done: true, o: { n: 5 }, none: null } },
  };
  for (const [name, job] of Object.entries(jobs)) made[name] = (await owner.job(job)).id;
});

const ask = (query: string, headers: Record<string, string> = owner.headers) =>
  app.json('GET', `${PATH}?${query}`, { headers });

/** The names of the jobs that a query lists, the latest first. */
async function listed(query: string): Promise<string[]> {
  const { status, body, headers } = await ask(query);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(headers.get('x-ignored-parameters')).toBeNull();
  const names = Object.fromEntries(Object.entries(made).map(([name, id]) => [id, name]));
  return body.map(({ id }: { id: string }) => names[id]);
}

describe('the list of jobs', () => {
  test.each([
    ['target_lang=DE', ['german']],
    ['source_lang=fr', ['german']],
    ['source_lang=fr&target_lang=fr', []],
    ['domain=legal', ['legal']],
    ['domain=Legal', []],
    ['metadata.project=alpha', ['number']],
    ['metadata.n=5', ['text', 'number']],
    ['metadata.n=5.0', ['number']],
    ['metadata.a.b[c]=x', ['text']],
    ['metadata.done=true', ['yes']],
    ['metadata.none=null', []],
  ])('filters by %s', async (query, names) => {
    expect(await listed(query)).toEqual(names);
  });

  test('filters by the time of creation: created_after is inclusive, created_before exclusive', async () => {
    const { created_at } = (await ask('domain=legal')).body[0];
    const time = encodeURIComponent(created_at);
    expect(await listed(`created_after=${time}`)).toEqual(['yes', 'text', 'number', 'legal']);
    expect(await listed(`created_before=${time}`)).toEqual(['german', 'plain']);
    const local = encodeURIComponent('2999-01-01T00:00:00+02:00');
    expect(await listed(`created_before=${local}&limit=1`)).toEqual(['yes']);
  });

  test.each([
    ['created_after=yesterday', 'created_after'],
    ['created_after=2026-01-01T00:00:00', 'created_after'],
    [Array.from({ length: 11 }, (_, n) => `metadata.k${n}=1`).join('&'), 'metadata'],
    ['metadata.k=1&metadata.k=2', 'metadata'],
    ['metadata.primary_model=x', 'metadata'],
    ['domain=a%00b', 'domain'],
  ])('refuses %s by 422, which names the filter', async (query, name) => {
    const { status, body } = await ask(query);
    expect([status, body.detail[0]?.loc], JSON.stringify(body)).toEqual([
      422,
      expect.arrayContaining([name]),
    ]);
  });

  test('rejects an unsupported language with the list of the supported ones', async () => {
    expect(await ask('target_lang=tlh')).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('supported languages: en, es') },
    });
  });

  test.each(['1e999999', '-', '"', "'; select 1"])(
    'finds nothing for the metadata value %s, and does not fail',
    async (value) => {
      expect(await listed(`metadata.n=${encodeURIComponent(value)}`)).toEqual([]);
    },
  );

  test('names the query parameters that it ignores, encoded and bounded; a version is none of them', async () => {
    const names = async (query: string) => (await ask(query)).headers.get('x-ignored-parameters');
    expect(await names('limit=1&api-version=2026-09-01')).toBeNull();
    expect(await names('limit=1&targetLang=fr&%C3%BC%0d%0a,=1')).toBe('targetLang, %C3%BC%0D%0A%2C');
    const many = Array.from({ length: 30 }, (_, n) => `p${n}=1`).join('&');
    expect(await names(many)).toBe(`${Array.from({ length: 20 }, (_, n) => `p${n}`).join(', ')}, ...`);
    expect(await names(`${'x'.repeat(1000)}=1`)).toBe(`${'x'.repeat(60)}...`);
    const { headers } = await app.json('GET', `${PATH}/nothing?verbose=1`, { headers: owner.headers });
    expect(headers.get('x-ignored-parameters')).toBe('verbose');
  });
});

test('a filter that finds nothing near ends after 10,000 jobs, and its cursor leads on to what it finds', async () => {
  const tenant = await openWorkspace(app);
  const oldest = await tenant.job({ target_lang: 'de', metadata: { project: 'deep' } });
  const sql = openSuperuser(app.superuserUrl);
  await sql`
    insert into translation_jobs (tenant_id, job_id, status, request, agent_run, created_at, updated_at)
    select tenant_id, md5('deep ' || n), status, jsonb_set(request, '{metadata,project}', '"other"'), agent_run,
      created_at + n * interval '1 ms', updated_at + n * interval '1 ms'
    from translation_jobs, generate_series(1, 25000) n where job_id = ${oldest.id}`;
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body, headers } = await ask(
      `metadata.project=deep&target_lang=de${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      tenant.headers,
    );
    pages.push(body.map(({ id }: { id: string }) => id));
    cursor = headers.get('x-next-cursor');
  }
  expect(pages).toEqual([[], [], [oldest.id]]);
});
