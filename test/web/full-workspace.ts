import { expect } from 'vitest';
import { type BillingApp, subscriptionEvent } from '#test/billing/billing-app.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addAdministrator, openOperators, operatorWorkspace } from '#test/factories/operators.ts';
import {
  addDocument,
  addGlossary,
  addMemory,
  addStyleGuide,
  inviting,
  type Person,
  queueDocument,
  submit,
} from '#test/factories.ts';

/** The workspace of an operator with data of all kinds, so that each screen has all its parts. */
export type FullWorkspace = Awaited<ReturnType<typeof fillWorkspace>>;

export async function fillWorkspace({ app, sql, deliver }: BillingApp) {
  await openOperators(app);
  await deliver(subscriptionEvent('created', operatorWorkspace, { id: 'sub_sweep' }));
  const person = await addAdministrator(app, 'first@ops.example');
  // Operators sign in with a provider; the functions below only use the session.
  const operator = { ...person, tenantId: operatorWorkspace } as unknown as Person;
  const job = await submit(app, operator, { domain: 'legal', source_text: 'Sign {name} here.' });
  await submit(app, operator, { domain: 'legal', target_lang: 'ar' });
  const review = async (body: object) => {
    const id = await submit(app, operator, { domain: 'legal', source_text: 'Good morning' });
    const path = `/api/translations/${id}/review`;
    expect((await app.json('POST', path, { headers: person.bearer, body })).status).toBe(200);
  };
  await review({ action: 'modify', final_translation: 'Salut' });
  await review({ action: 'reject', notes: 'Not what was asked for' });
  const failed = await submit(app, operator, { source_text: 'A text that fails' });
  await sql`update translation_jobs set status = 'failed' where job_id = ${failed}`;
  const waiting = await submit(app, operator, { source_text: 'A text that waits' });
  await sql`update translation_jobs set status = 'pending' where job_id = ${waiting}`;
  const { body: created } = await viaRpc(
    app,
    { path: 'analyses.create', type: 'mutation' },
    { input: { target_langs: ['fr'] }, headers: operator.bearer },
  );
  /** The ID of an item for each screen whose URL has a parameter. */
  const ids: Record<string, string> = {
    '/jobs/$jobId': job,
    '/app/edit/documents/$documentId': await addDocument(app, operator),
    '/app/estimates/$estimateId': created.id,
    '/app/glossaries/$setId': await addGlossary(app, operator),
    '/app/memories/$setId': await addMemory(app, operator),
    '/app/settings/operator/workspaces/$tenantId': operatorWorkspace,
  };
  await addStyleGuide(app, operator, { forbidden_words: [{ term: 'mail', use_instead: 'e-mail' }] });
  await queueDocument(app, operator);
  const team = inviting(app, person.bearer);
  const member = await team.join();
  await team.invite({ email: 'newcomer@example.org' });
  return {
    operator,
    /** A member who is not an administrator. */
    member,
    /** Returns the URL of a screen for a path of the router. */
    addressOf: (path: string) =>
      path.replace(/\$\w+/, () => {
        // A screen below that of an item is about the same item.
        const id = ids[path] ?? ids[path.slice(0, path.lastIndexOf('/'))];
        if (!id) throw new Error(`the workspace of this test has nothing for ${path}`);
        return id;
      }),
  };
}
