import { unzipSync } from 'fflate';
import type postgres from 'postgres';
import { expect } from 'vitest';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { runExport } from '#server/workspace-export/run-export.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers, Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';

/** An application that exports or imports. */
export type Place = Pick<TestApp, 'json' | 'request' | 'services'>;
/** An administrator of the workspace. */
export type Administrator = Pick<Person, 'tenantId'> & { bearer: Headers };

/** Calls a mutation, which must succeed. */
export async function call(at: Place, who: Administrator, path: string, input: Fields = {}) {
  const { status, body } = await viaRpc(at, { path, type: 'mutation' }, { input, headers: who.bearer });
  expect([path, status, body]).toEqual([path, 200, body]);
  return body;
}

/** Uploads a glossary or a TM, and polls until it is active. @returns the ID of its set */
export async function upload(
  at: Place,
  who: Administrator,
  path: string,
  fields: Record<string, string | File>,
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const response = await at.request(path, { method: 'POST', headers: who.bearer, body: form });
  const body = JSON.parse(await response.text());
  if (response.status !== 202) {
    expect([response.status, body]).toEqual([200, body]);
    return body.id;
  }
  const read = async () =>
    (await at.json('GET', `${path}/imports/${body.job.id}`, { headers: who.bearer })).body.job;
  await poll(async () => (await read()).status !== 'running', 600);
  const { error, result } = await read();
  expect(error).toBe(null);
  return result.id;
}

/** Exports a workspace. @returns the content of each file, by its name */
export async function exported(at: Place, who: Administrator): Promise<Map<string, string>> {
  const { id } = await call(at, who, 'exports.start');
  const limits = { runMs: 600_000, partBytes: 16 * 1024 * 1024, partMs: 2000 };
  await runExport(at.services, { tenantId: who.tenantId, exportId: id }, limits);
  const zip = await at.request(`/app/exports/${id}`, { headers: who.bearer });
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  return new Map(Object.entries(files).map(([name, file]) => [name, Buffer.from(file).toString()]));
}

const linesOf = (files: Map<string, string>, name: string) =>
  (files.get(`${name}-0001.jsonl`) ?? '').split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));

/** The files of an export that begin with the name of a set, in the order of their numbers. */
const filesOf = (files: Map<string, string>, folder: string, { id }: { id: string }, suffix: string) =>
  [...files].filter(
    ([name]) => name.startsWith(`${folder}/`) && name.includes(id.slice(-8)) && name.endsWith(suffix),
  );

/** Imports what can be imported of an export, as in the guide. */
export async function importAll(at: Place, who: Administrator, files: Map<string, string>): Promise<void> {
  for (const set of linesOf(files, 'glossaries/sets')) {
    const [[, content] = ['', '']] = filesOf(files, 'glossaries', set, '.csv');
    await upload(at, who, '/api/terminology', {
      name: set.name,
      ...(set.source_lang !== null && { source_lang: set.source_lang }),
      ...(set.target_lang !== null && { target_lang: set.target_lang }),
      terminology_file: new File([content], 'terms.csv', { type: 'text/csv' }),
    });
  }
  for (const set of linesOf(files, 'memory/sets')) {
    const { name, source_lang, target_lang, penalty, age_penalty } = set;
    const parts = filesOf(files, 'memory', set, '.tmx').map(([, content]) => content);
    if (parts.length === 0) continue;
    const tmx_file = new File([joined(parts)], 'memory.tmx', { type: 'application/xml' });
    const fields = { name: importedName(name), source_lang, target_lang, tmx_file };
    const set_id = await upload(at, who, '/api/tm', fields);
    await call(at, who, 'memory.setPenalty', { set_id, penalty, age_penalty });
  }
  for (const { updated_at: _, updated_by: _by, ...guide } of linesOf(files, 'style-guides/style-guides'))
    await call(at, who, 'styleGuides.save', { ...guide, version: null });
  for (const { name, srx } of linesOf(files, 'segmentation/rules'))
    await call(at, who, 'segmentation.save', { name, srx });
}

/** One file with the units of all files of a TM: the import of a second file would replace the first. */
function joined(parts: readonly string[]): string {
  const [first = ''] = parts;
  const [head = '', tail = ''] = [first.slice(0, first.indexOf('<body>') + 6), '</body></tmx>'];
  const units = parts.map((part) => part.slice(part.indexOf('<body>') + 6, part.lastIndexOf('</body>')));
  return [head, ...units, tail].join('');
}

/** Names of the sets with approved translations are reserved. */
const importedName = (name: string) => name.replace(/^golden-/, '');

/**
 * The state of a workspace's sets, terms, memories and rules, without IDs, the times of changes of rules, and the origin
 * of memories. A unit without a time of change has the one of its set, and without a tuid the one that an export writes.
 */
export async function stateOf(sql: postgres.Sql, { tenantId }: Administrator) {
  const rows = async (query: string): Promise<postgres.Row[]> =>
    Array.from(await sql.unsafe(query, [tenantId]));
  const tables = {
    glossaries: await rows(
      'select name, source_lang, target_lang, entry_count from terminology_sets where tenant_id = $1 order by name',
    ),
    terms: await rows(`select s.name, to_jsonb(e) - 'tenant_id' - 'set_id' as term from terminology_entries e
      join terminology_sets s using (tenant_id, set_id) where tenant_id = $1 order by s.name, entry_no`),
    memories:
      await rows(`select name, source_lang, target_lang, pair_source, pair_target, penalty, age_penalty
      from memory_sets where tenant_id = $1 and origin <> 'golden_sentences' order by name`),
    segments: await rows(`select s.name, source_text, target_text, coalesce(tuid, job_id) as tuid,
        coalesce(changed_at, date_trunc('second', s.updated_at)) as changed_at,
        encode(context_before, 'hex') as before, encode(context_after, 'hex') as after
      from memory_segments m join memory_sets s using (tenant_id, content_id)
      where tenant_id = $1 and origin <> 'golden_sentences' order by s.name, segment_no`),
    guides: await rows(`select to_jsonb(g) - 'tenant_id' - 'version' - 'updated_at' - 'updated_by' as guide
      from style_guides g where tenant_id = $1 order by target_lang`),
    segmentation: await rows('select name, srx from segmentation_rules where tenant_id = $1'),
  };
  for (const table of [tables.memories, tables.segments])
    for (const row of table) row['name'] = importedName(row['name']);
  for (const row of tables.segments) row['tuid'] ??= sourceHashHex(normalForm(row['source_text']));
  return tables;
}

/**
 * The state without what no import of a TM keeps: of the translations of a source, only the latest is imported, and a TM
 * without segments has no file.
 */
export function importable(state: Awaited<ReturnType<typeof stateOf>>): typeof state {
  const newest = new Map<string, postgres.Row>();
  for (const row of state.segments) {
    const key = `${row['name']} ${normalForm(row['source_text'])}`;
    const known = newest.get(key);
    if (known && known['changed_at'] > row['changed_at']) continue;
    newest.delete(key);
    newest.set(key, row);
  }
  const filled = new Set(state.segments.map((row) => row['name']));
  return {
    ...state,
    memories: state.memories.filter((row) => filled.has(row['name'])),
    segments: [...newest.values()],
  };
}
