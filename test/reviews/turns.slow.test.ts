import type postgres from 'postgres';
import { beforeAll, describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import {
  apiKey,
  documentForm,
  env,
  type Fields,
  found,
  type Headers,
  join,
  operatorKey,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { viaRest, viaRpc } from '../contract/call.ts';
import { judgingEngine } from './judging-engine.ts';
import {
  type Caller,
  callers,
  expected,
  type Item,
  type Kind,
  procedureOf,
  type Rule,
  type State,
  ways,
} from './turns.ts';

const app = useTestApp({
  env: { ...env, OPERATOR_API_KEY: operatorKey },
  engine: { ...judgingEngine(), live: true },
});
const sql = () => openSuperuser(app.superuserUrl);

const people = {} as Record<'first' | 'second' | 'other' | 'administrator', Person>;
let key: Headers;

beforeAll(async () => {
  people.administrator = await found(app);
  for (const name of ['first', 'second', 'other'] as const)
    people[name] = await join(app, people.administrator);
  key = apiKey(people.administrator.apiKey as string);
});

const headersOf = (caller: Caller): Headers => {
  if (caller === 'key') return key;
  if (caller === 'operator')
    return { 'x-api-key': operatorKey, 'x-tenant-id': people.administrator.tenantId };
  return people[caller === 'administrator after taking over' ? 'administrator' : caller].bearer;
};

async function call(path: string, input: Fields, headers: Headers) {
  const { status, body } = await viaRpc(app, procedureOf(path), { input, headers });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

const at = (kind: Kind, id: string) => (kind === 'job' ? `/api/translations/${id}` : `/api/documents/${id}`);
const get = async (path: string) => (await app.json('GET', path, { headers: key })).body;

let created = 0;

async function create(kind: Kind): Promise<string> {
  // An approved text would be served from the memory, without findings.
  const odd = `An odd lease ${++created}.`;
  if (kind === 'job') {
    const body = { source_text: odd, target_lang: 'fr', domain: 'legal' };
    return (await app.json('POST', '/api/translations', { headers: key, body })).body.id;
  }
  const form = new FormData();
  const fields = documentForm({ source_document: workbookFile([`Hello ${created}`, odd]), wait: 'true' });
  for (const [name, value] of Object.entries(fields)) form.append(name, value as Blob);
  const response = await app.request('/api/documents/translate', {
    method: 'POST',
    headers: key,
    body: form,
  });
  return ((await response.json()) as { id: string }).id;
}

const assign = (item: Fields, fields: Fields, by: Person) =>
  call('assignments.assign', { items: [item], ...fields }, by.bearer);

/** Creates an item, and brings it into a state. Returns the change that the first reviewer made to a document. */
async function bring(kind: Kind, rule: Rule, state: State): Promise<{ id: string; change_id: string }> {
  const id = await create(kind);
  const item = { kind, id };
  const { first, second, administrator } = people;
  if (rule !== 'none')
    await assign(
      item,
      { assignee: first.userId, ...(rule === 'four eyes' && { second: second.userId }) },
      administrator,
    );
  let change_id = '';
  if (kind === 'document') {
    const segments = [{ position: 0, replaces: `fr of Hello ${created}`, target_text: `Bonjour ${created}` }];
    change_id = (await call('documents.save', { document_id: id, segments }, first.bearer)).change_id;
  }
  if (state === 'open') return { id, change_id };
  if (rule === 'four eyes') await call('assignments.pass', item, first.bearer);
  if (state === 'passed') return { id, change_id };
  const { updated_at } = await get(at(kind, id));
  const approver = rule === 'four eyes' ? second : first;
  if (kind === 'job')
    await call(
      'translations.act',
      { job_id: id, updated_at, action: 'approve', confirm_critical: true },
      approver.bearer,
    );
  else
    await call('documents.approve', { document_id: id, updated_at, confirm_critical: true }, approver.bearer);
  if (state === 'reopened') await call('reviews.reopen', item, approver.bearer);
  return { id, change_id };
}

const tables = {
  translation_jobs: 'job_id',
  document_jobs: 'document_id',
  document_segments: 'document_id',
  document_artifacts: 'document_id',
  segment_events: 'document_id',
  review_assignments: 'item_id',
} as const;

/** Keeps the rows of an item, so that each attempt finds the same state. Returns a function that restores them. */
async function keepRows(id: string): Promise<() => Promise<unknown>> {
  const kept: [table: string, column: string, columns: string, rows: unknown][] = [];
  for (const [table, column] of Object.entries(tables)) {
    const [listed] = await sql()`select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
    const [found] = await sql()`select coalesce(jsonb_agg(to_jsonb(t)), '[]') as rows from ${sql()(table)} t
      where ${sql()(column)} = ${id}`;
    kept.push([table, column, listed?.['columns'], found?.['rows']]);
  }
  return () =>
    sql().begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      for (const [table, column] of kept) await tx`delete from ${tx(table)} where ${tx(column)} = ${id}`;
      for (const [table, , columns, rows] of kept)
        await tx.unsafe(
          `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
          [rows as postgres.JSONValue as never],
        );
    });
}

function openOf(issues: Fields[] = []): string {
  const open = issues.find(({ status }) => status === 'open' || status === 'not_rechecked');
  if (!open) throw new Error('the item has no open finding');
  return open['id'] as string;
}

/** Reads an item as a reviewer sees it. */
async function read(kind: Kind, { id, change_id }: { id: string; change_id: string }): Promise<Item> {
  const { updated_at, status } = await get(at(kind, id));
  const xliffAt =
    kind === 'job' ? `/api/translations?limit=200&status=${status}` : `${at(kind, id)}/segments`;
  const exported = await app.request(xliffAt, { headers: { ...key, accept: 'application/xliff+xml' } });
  const text = await exported.text();
  const xliff = text.replace(/(<target[^>]*>)(Bonjour \d+|fr of An odd lease \d+\.)/g, '$1Changed');
  if (kind === 'job') {
    const input = { job_ids: [id] };
    const [listed] = (await call('reviews.texts', input, people.administrator.bearer)).texts;
    const finding_id = openOf(listed?.issues);
    return { kind, id, updated_at, change_id, xliff, finding_id, segment: {}, found: {} };
  }
  const { segments } = await get(`${at(kind, id)}/segments`);
  const [first, second] = segments;
  const segment = { ...first, position: 0 };
  const { segments: shown } = await call(
    'documents.search',
    { document_id: id },
    people.administrator.bearer,
  );
  const finding_id = openOf(shown[1]?.quality.issues);
  const found = { position: 1, target_text: second.target_text };
  return { kind, id, updated_at, change_id, xliff, finding_id, segment, found };
}

/** The verdict of a response: `ok`, the status of the refusal, or `refused` for the operator. */
function verdictOf(caller: Caller, { status, body }: { status: number; body: Fields }): string {
  const results = body?.['results'] as { outcome: string; http_status?: number }[] | undefined;
  const refused = results?.[0]?.outcome === 'done' ? undefined : results?.[0]?.http_status;
  const final = status === 200 && results ? (refused ?? 200) : status;
  if (caller === 'operator') return [401, 403, 404].includes(final) ? 'refused' : String(final);
  return final === 200 ? 'ok' : String(final);
}

const states: [Rule, State][] = [
  ['none', 'open'],
  ['none', 'approved'],
  ['none', 'reopened'],
  ['assigned', 'open'],
  ['assigned', 'approved'],
  ['assigned', 'reopened'],
  ['four eyes', 'open'],
  ['four eyes', 'passed'],
  ['four eyes', 'approved'],
  ['four eyes', 'reopened'],
];

describe.each(['job', 'document'] as const)('a %s', (kind) => {
  test.each(states)(
    'with the rule %s, %s, is written only by the one whose turn it is',
    async (rule, state) => {
      const brought = await bring(kind, rule, state);
      const restore = await keepRows(brought.id);
      const item = await read(kind, brought);
      const found: string[] = [];
      const wanted: string[] = [];
      for (const caller of callers)
        for (const way of ways.filter((one) => one.kind === kind)) {
          const procedure = procedureOf(way.path);
          const transports = procedure.route ? [viaRest, viaRpc] : [viaRpc];
          for (const via of procedure.route?.body === 'xliff' ? [viaRest] : transports) {
            if (caller === 'administrator after taking over') {
              const who = state === 'open' || rule !== 'four eyes' ? 'assignee' : 'second';
              await assign(
                { kind, id: item.id },
                { [who]: people.administrator.userId },
                people.administrator,
              );
            }
            const name = `${caller} · ${via === viaRest ? 'REST ' : ''}${way.path}${way.as ? ` (${way.as})` : ''}`;
            const answer = await via(app, procedure, { input: way.input(item), headers: headersOf(caller) });
            const verdict = verdictOf(caller, answer);
            found.push(`${name}: ${verdict}`);
            const want = expected(rule, state, caller, way);
            wanted.push(`${name}: ${want}`);
            if (verdict !== want)
              process.stdout.write(`${name} ${JSON.stringify(answer.body).slice(0, 300)}\n`);
            if (verdict === 'ok' || caller === 'administrator after taking over') await restore();
          }
        }
      if (process.env['PRINT_TURNS'])
        process.stdout.write(`${kind}, ${rule}, ${state}\n${found.join('\n')}\n`);
      expect(found).toEqual(wanted);
    },
    300_000,
  );
});
