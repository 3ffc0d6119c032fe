import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { runExport } from '#server/workspace-export/run-export.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  addSegmentation,
  addStyleGuide,
  env,
  type Fields,
  type Person,
  signUpFounder,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

/*
 * What an export has of sets, terms, translation memories and rules can be imported: the workspace that imports it has the
 * same state. Members, and the approved translations of former jobs, cannot be imported: the latter become a memory.
 */

const app = useTestApp({ env });
const sql = () => openSuperuser(app.superuserUrl);
const call = (who: Person, path: string, input: Fields = {}) =>
  viaRpc(app, { path, type: 'mutation' }, { input, headers: who.bearer });

async function upload(who: Person, path: string, fields: Record<string, string | File>): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const response = await app.request(path, { method: 'POST', headers: who.bearer, body });
  expect(response.status, await response.clone().text()).toBe(200);
}

async function exported(who: Person): Promise<Map<string, string>> {
  const { id } = (await call(who, 'exports.start')).body;
  await runExport(app.services, { tenantId: who.tenantId, exportId: id });
  const zip = await app.request(`/app/exports/${id}`, { headers: who.bearer });
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  return new Map(Object.entries(files).map(([name, file]) => [name, Buffer.from(file).toString()]));
}

const linesOf = (files: Map<string, string>, name: string) =>
  (files.get(`${name}-0001.jsonl`) ?? '').split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));

/** The files of an export that begin with the name of a set. */
const filesOf = (files: Map<string, string>, folder: string, { id }: { id: string }, suffix: string) =>
  [...files].filter(
    ([name]) => name.startsWith(`${folder}/`) && name.includes(id.slice(-8)) && name.endsWith(suffix),
  );

async function importAll(who: Person, files: Map<string, string>): Promise<void> {
  for (const set of linesOf(files, 'glossaries/sets')) {
    const [[, content] = ['', '']] = filesOf(files, 'glossaries', set, '.csv');
    await upload(who, '/api/terminology', {
      name: set.name,
      ...(set.source_lang !== null && { source_lang: set.source_lang }),
      ...(set.target_lang !== null && { target_lang: set.target_lang }),
      terminology_file: new File([content], 'terms.csv', { type: 'text/csv' }),
    });
  }
  for (const set of linesOf(files, 'memory/sets'))
    for (const [, content] of filesOf(files, 'memory', set, '.tmx')) {
      const { name, source_lang, target_lang } = set;
      const tmx_file = new File([content], 'memory.tmx', { type: 'application/xml' });
      await upload(who, '/api/tm', { name, source_lang, target_lang, tmx_file });
    }
  for (const { updated_at: _, updated_by: _by, ...guide } of linesOf(files, 'style-guides/style-guides'))
    expect((await call(who, 'styleGuides.save', { ...guide, version: null })).status).toBe(200);
  for (const { name, srx } of linesOf(files, 'segmentation/rules'))
    expect((await call(who, 'segmentation.save', { name, srx })).status).toBe(200);
}

/** The state of a workspace's sets, terms, memories and rules, without IDs and the times of changes of rules. */
async function stateOf({ tenantId }: Person) {
  const rows = (query: string) => sql().unsafe(query, [tenantId]);
  return {
    glossaries: await rows(
      'select name, source_lang, target_lang, entry_count from terminology_sets where tenant_id = $1 order by name',
    ),
    terms: await rows(`select s.name, to_jsonb(e) - 'tenant_id' - 'set_id' as term from terminology_entries e
      join terminology_sets s using (tenant_id, set_id) where tenant_id = $1 order by s.name, entry_no`),
    memories: await rows(
      'select name, source_lang, target_lang, origin, entry_count from memory_sets where tenant_id = $1 order by name',
    ),
    segments:
      await rows(`select s.name, source_text, target_text, tuid, changed_at, encode(context_before, 'hex') as before,
        encode(context_after, 'hex') as after from memory_segments m join memory_sets s using (tenant_id, content_id)
      where tenant_id = $1 order by s.name, segment_no`),
    guides:
      await rows(`select to_jsonb(g) - 'tenant_id' - 'version' - 'updated_at' - 'updated_by' as guide from style_guides g
      where tenant_id = $1 order by target_lang`),
    segmentation: await rows('select name, srx from segmentation_rules where tenant_id = $1'),
  };
}

const csv = `source_term,target_term,source_lang,target_lang,case_sensitive,priority,status,note,definition,part_of_speech,gender,domain,do_not_translate,picture
deposit,fianza,en,es,no,3,preferred,"for flats, not banks",money that is held,noun,feminine,law,,https://a.example/p.png
deposit,garantía,en,es,no,0,allowed,,,,,,,
deposit,depósito,en,es,no,0,forbidden,"says ""no""",,,,,,
Acme,Acme,en,es,yes,0,,,,proper_noun,,,yes,
'=sum,suma,,,no,-2,,,,,,,,
`;
const unit = (source: string, target: string, more = '') =>
  `<tu tuid="t-${source}" changedate="20240102T030405Z">${more}<tuv xml:lang="en"><seg>${source}</seg></tuv><tuv xml:lang="es"><seg>${target}</seg></tuv></tu>`;
const tmx = `<?xml version="1.0"?><tmx version="1.4"><header creationtool="x" creationtoolversion="1" datatype="plaintext" segtype="sentence" adminlang="en" srclang="en" o-tmf="x"/><body>${unit('One day.', 'Un día.')}${unit('Two &amp; &lt;three&gt;', 'Dos y tres')}</body></tmx>`;

test('sets, terms, memories and rules of an export are the same after their import', async () => {
  const [mine, other] = [await signUpFounder(app), await signUpFounder(app)];
  const file = (content: string, name: string, type: string) => new File([content], name, { type });
  await upload(mine, '/api/terminology', {
    name: 'Rent: “all/terms”',
    terminology_file: file(csv, 'terms.csv', 'text/csv'),
  });
  await upload(mine, '/api/terminology', {
    ...{ name: 'Declared', source_lang: 'en-US', target_lang: 'fr' },
    terminology_file: file('key,clé\n', 'terms.csv', 'text/csv'),
  });
  await upload(mine, '/api/tm', {
    ...{ name: 'House/style', source_lang: 'en', target_lang: 'es' },
    tmx_file: file(tmx, 'memory.tmx', 'application/xml'),
  });
  await addStyleGuide(app, mine, {
    ...{ rules: 'Be brief.', quotation_marks: '«»', spacing: 'none', formality: 'formal' },
    forbidden_words: [{ term: 'usar', use_instead: 'utilizar' }],
  });
  await addSegmentation(app, mine, 'Rules');
  const files = await exported(mine);
  await importAll(other, files);
  const before = await stateOf(mine);
  expect(before.terms).toHaveLength(6);
  expect(before.segments).toHaveLength(2);
  expect(await stateOf(other)).toEqual(before);
});
