import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { appRouter } from '#server/router.ts';
import { proceduresOf } from '#server/trpc.ts';
import { addDocument, type Fields, submit } from '#test/factories.ts';
import { viaRest, viaRpc } from '../contract/call.ts';
import { transportsOf } from '../contract/guards/callers.ts';
import { useGuardFixture } from '../contract/guards/guard-fixture.ts';
import { probes } from '../contract/guards/probes.ts';
import { procedures } from '../contract/procedures.ts';
import { others, procedureOf, ways } from './turns.ts';

const fixture = useGuardFixture();

/** The mutations that do not write items, and so do not ask whose turn it is. */
const rest = procedures.filter(
  ({ path, type }) => type !== 'query' && !others.includes(path) && !ways.some((way) => way.path === path),
);

type Kind = 'job' | 'document';

/** The IDs of items: one that everyone may write, one of another member, and an approved one. */
const items: Record<Kind, string[]> = { job: [], document: [] };

const call = async (path: string, input: Fields) => {
  const { status, body } = await viaRpc(fixture.app, procedureOf(path), {
    input,
    headers: fixture.founder.bearer,
  });
  expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
};

beforeAll(async () => {
  const { app, founder, member } = fixture;
  for (const state of ['open', 'assigned', 'approved']) {
    const id = await submit(app, founder, { domain: 'legal' });
    const document_id = await addDocument(app, founder);
    items.job.push(id);
    items.document.push(document_id);
    const both = [
      { kind: 'job', id },
      { kind: 'document', id: document_id },
    ];
    if (state === 'assigned') await call('assignments.assign', { items: both, assignee: member.userId });
    if (state !== 'approved') continue;
    await call('translations.act', { job_id: id, ...(await version('job', id)), action: 'approve' });
    await call('documents.approve', { document_id, confirm_critical: true });
  }
});

/** The version of an item that a client has read. */
async function version(kind: Kind, id: string): Promise<{ updated_at: string }> {
  const path = kind === 'job' ? 'translations' : 'documents';
  const { body } = await fixture.app.json('GET', `/api/${path}/${id}`, { headers: fixture.founder.key });
  return { updated_at: body.updated_at };
}

/** The texts, confirmations and decisions of the items. Findings follow the glossaries, too. */
async function state() {
  const { sql } = fixture;
  const { job: jobs, document: documents } = items;
  return {
    jobs: await sql`select job_id, status, final_translation, pipeline_candidate, decided_by, decided_at
      from translation_jobs where job_id = any(${jobs}) order by job_id`,
    documents: await sql`select document_id, status, approved_at, approved_by, changed_since_approval, edits
      from document_jobs where document_id = any(${documents}) order by document_id`,
    segments:
      await sql`select document_id, position, target, target_text, corrected, confirmed_at, confirmed_by
      from document_segments where document_id = any(${documents}) order by document_id, position`,
  };
}

/** The names of the fields of an input, also of its parts. */
function fieldsOf(path: string): Set<string> {
  const found = new Set<string>();
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties } = node as { properties?: object };
    for (const name of Object.keys(properties ?? {})) found.add(name);
    Object.values(node).forEach(walk);
  };
  const inputs = proceduresOf(appRouter).find(([name]) => name === path)?.[1].inputs ?? [];
  for (const schema of inputs as z.ZodType[])
    walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return found;
}

/** Those of these fields that name an item, with its values. */
function namesOf(fields: ReadonlySet<string>, kind: Kind, id: string): Fields {
  const values: Fields = {
    ...{ [`${kind}_id`]: id, [`${kind}_ids`]: [id], item_kind: kind, item_id: id },
    ...(kind === 'document' && { update_of: id }),
    ...(fields.has('kind') && fields.has('id') && { kind, id, items: [{ kind, id }] }),
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => fields.has(name)));
}

test.each(rest.map((procedure) => [procedure.path, procedure] as const))(
  '%s changes no text, confirmation or decision of an item',
  async (path, procedure) => {
    const { app, founder, operator } = fixture;
    const probe = probes[path] ?? {};
    const fields = fieldsOf(path);
    const before = await state();
    const statuses: number[] = [];
    const via = transportsOf(procedure).includes('/trpc') ? viaRpc : viaRest;
    for (const [kind, ids] of Object.entries(items) as [Kind, string[]][])
      for (const id of ids)
        for (const headers of [founder.bearer, founder.key, founder.cookie, operator.key]) {
          const named = namesOf(fields, kind, id);
          const seen = fields.has('updated_at') && (await version(kind, id));
          const input = { ...(await probe.input?.(fixture)), ...named, ...seen };
          const answer = await via(app, procedure, { input, headers });
          if (Object.keys(named).length > 0) statuses.push(answer.status);
          await probe.restore?.(fixture);
        }
    expect(await state()).toEqual(before);
    // A procedure that names an item must have worked on one. Operators name background jobs and failed documents.
    if (statuses.length > 0 && procedure.guard !== 'platform_operator')
      expect(Math.min(...statuses)).toBeLessThan(300);
  },
);
