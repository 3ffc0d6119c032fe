import { afterAll, beforeAll, expect, test } from 'vitest';
import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { launch } from '#test/setup/launch.ts';
import { openPopulated, type Populated } from './populated.ts';

let populated: Populated;
beforeAll(async () => {
  populated = await openPopulated();
}, 1_800_000);
afterAll(() => populated?.close());

const command = async (script: string) => {
  const { code, stdout, stderr } = await launch([`server/commands/${script}/main.ts`], populated.env).ended;
  return { code, stdout, stderr };
};

test('verify-store finds no difference', async () => {
  const { code, stdout, stderr } = await command('verify-store');
  expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
  expect(stdout).toContain('differences: 0');
});

test('doctor finds nothing wrong', async () => {
  const { code, stdout } = await command('doctor');
  expect({ code, failed: stdout.match(/^fail .*$/gm) ?? [] }).toEqual({ code: 0, failed: [] });
});

test('there are jobs and documents in all states, and documents of all formats', async () => {
  const { sql } = populated;
  const statuses = async (table: string) =>
    (await sql<{ status: string }[]>`select distinct status from ${sql(table)} order by 1`).map(
      ({ status }) => status,
    );
  expect(await statuses('translation_jobs')).toEqual([
    'awaiting_review',
    'failed',
    'human_edited',
    'pending',
    'persistence_failed',
    'published',
    'rejected',
  ]);
  expect(await statuses('document_jobs')).toEqual(['extracted', 'failed', 'queued', 'translated']);
  const formats =
    await sql`select distinct source_format as name from document_jobs where status = 'translated'`;
  expect(formats.map(({ name }) => name).toSorted()).toEqual(layoutKindNames.toSorted());
  const [sizes] = await sql`
    select (select count(*) from tenants)::int as tenants, (select count(*) from translation_jobs)::int as jobs,
      (select count(*) from document_jobs)::int as documents, (select count(*) from memory_segments)::int as segments,
      (select count(*) from terminology_entries)::int as terms,
      (select max(members) from (select count(*) as members from users group by tenant_id) t)::int as members,
      (select count(*) from document_artifacts where size_bytes > 5000000)::int as large,
      (select count(*) from document_jobs where approved_at is not null)::int as approved`;
  expect(sizes).toMatchObject({ tenants: 3 });
  for (const [name, least] of Object.entries({
    ...{ jobs: 5000, documents: 60, segments: 53_000, terms: 2320, members: 21, large: 8, approved: 10 },
  }))
    expect([name, sizes![name] >= least]).toEqual([name, true]);
});

/** The tables with texts and data whose size is limited only by that of a text, a file or a TM. */
const large = [
  'document_segments',
  'memory_postings',
  'memory_segments',
  'memory_shards',
  'segment_events',
  'style_guides',
  'translation_jobs',
];

test.each(large)('%s has a row of more than 64 KB', async (name) => {
  const { sql } = populated;
  const [row] = await sql`select max(octet_length(t::text))::int as bytes from ${sql(name)} t`;
  expect(row!['bytes']).toBeGreaterThan(65_536);
});

test('the sums of usage are those of the ledger', async () => {
  const { sql } = populated;
  const different = await sql`
    with ledger as (
      select tenant_id, (recorded_at at time zone 'UTC')::date as day, count(*) as jobs, sum(source_chars) as source_chars,
        sum(billable_chars) as billable_chars from usage_records group by 1, 2
    ), totals as (
      select tenant_id, day, sum(jobs) as jobs, sum(source_chars) as source_chars, sum(billable_chars) as billable_chars
      from usage_totals group by 1, 2
    )
    select * from ledger l full join totals t using (tenant_id, day)
    where (l.jobs, l.source_chars, l.billable_chars) is distinct from (t.jobs, t.source_chars, t.billable_chars)`;
  expect(different).toEqual([]);
  const [billed] = await sql`
    select count(*)::int as jobs from translation_jobs j
    where status not in ('pending', 'failed') and not exists (
      select from usage_records u where u.tenant_id = j.tenant_id and u.job_id = j.job_id)`;
  expect(billed).toEqual({ jobs: 0 });
});

test('each job has the fields that its status promises', async () => {
  const { sql } = populated;
  const texts = await sql`
    select job_id, status from translation_jobs where case status
      when 'pending' then final_translation is not null
      when 'failed' then agent_run->>'error' is null
      else final_translation is null or (status = 'awaiting_review' and agent_run->>'human_review_task' is null) end`;
  expect(texts).toEqual([]);
  const documents = await sql`
    select document_id, status from document_jobs
    where (failure is not null) <> (status = 'failed') or (status = 'translated' and report_figures is null)`;
  expect(documents).toEqual([]);
});
