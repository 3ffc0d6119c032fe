import { AppError } from '#server/errors.ts';
import { layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Person } from '#test/factories.ts';
import { poll } from '#test/setup/poll.ts';
import { type Deployment, outage } from './deployment.ts';
import { largeMakers, makers } from './files.ts';
import { send } from './language.ts';
import { inTurns, succeed } from './texts.ts';
import { type Prose, prose } from './words.ts';

const targets = ['de', 'fr', 'es'] as const;

/**
 * Submits documents of all formats, each format at least twice, and files of more than 5 MB. Reviewers then work on the
 * translated documents in several ways. Workers must run.
 */
export async function fillDocuments(deployment: Deployment, reviewers: readonly Person[]): Promise<void> {
  const words = prose(60);
  const [owner] = reviewers as [Person];
  const files: [name: string, content: Uint8Array | string][] = [];
  for (const [at, kind] of [...layoutKindNames, ...layoutKindNames, ...layoutKindNames.slice(-8)].entries())
    files.push([`${kind} ${at}.${layoutKinds[kind].extensions[0]}`, await makers[kind](words)]);
  for (const [name, make] of Object.entries(largeMakers)) files.push([name, await make(words)]);
  const ids: string[] = [];
  let novel: string | undefined;
  await inTurns(files, 4, async ([name, content]) => {
    const id = await submit(deployment, owner, name, content, { target_lang: words.pick(targets) });
    if (name === 'novel.docx') novel = id;
    ids.push(id);
  });
  await inTurns(ids, 8, (id) => ended(deployment, owner, id));
  await failDocuments(deployment, owner, words);
  const translated = await list(deployment, owner, 'translated');
  await inTurns([...translated.entries()], 3, async ([at, id]) => {
    const reviewer = reviewers[at % reviewers.length] as Person;
    // The novel has the longest texts, and so the largest events.
    if (at % 6 === 5 && id !== novel) return;
    await review(deployment, reviewer, id, at, words);
    if (at % 3 === 0)
      await succeed(deployment, 'POST', `/api/documents/${id}/approve`, reviewer.bearer, {
        confirm_critical: true,
      });
  });
}

/** Leaves documents that wait for workers, or for a model that does not respond. Ends with stopped workers. */
export async function leaveDocuments(deployment: Deployment, owner: Person): Promise<void> {
  const words = prose(61);
  deployment.faults.engine = outage();
  const waiting = await Promise.all(
    (['json', 'docx', 'xlsx'] as const).map(async (kind) =>
      submit(deployment, owner, `waiting.${kind}`, await makers[kind](words), { target_lang: 'nl' }),
    ),
  );
  await inTurns(waiting, 3, async (id) => {
    const isExtracted = async () =>
      (await succeed(deployment, 'GET', `/api/documents/${id}`, owner.bearer)).status === 'extracted';
    await poll(isExtracted);
  });
  await deployment.stopWorkers();
  deployment.faults.engine = null;
  for (const kind of ['md', 'html', 'po'] as const)
    await submit(deployment, owner, `queued.${kind}`, await makers[kind](words), { target_lang: 'nl' });
}

async function submit(
  deployment: Deployment,
  owner: Person,
  name: string,
  content: Uint8Array | string,
  fields: Record<string, string>,
): Promise<string> {
  const file = new File([content as Uint8Array<ArrayBuffer>], name);
  const form = { source_document: file, ...fields };
  const { body } = await send(deployment, '/api/documents/translate', owner.bearer, form);
  return body.id;
}

/** Waits until a document is translated, or has failed. */
async function ended(deployment: Deployment, owner: Person, id: string): Promise<void> {
  await poll(async () => {
    const { status } = await succeed(deployment, 'GET', `/api/documents/${id}`, owner.bearer);
    return status === 'translated' || status === 'failed';
  }, 300);
}

async function list(deployment: Deployment, owner: Person, status: string): Promise<string[]> {
  const path = `/api/documents?status=${status}&limit=200`;
  const documents: { id: string }[] = await succeed(deployment, 'GET', path, owner.bearer);
  return documents.map(({ id }) => id).toSorted();
}

/** Submits documents whose texts the model refuses to translate. */
async function failDocuments(deployment: Deployment, owner: Person, words: Prose) {
  deployment.faults.engine = new AppError(
    'content_filtered',
    'the model of this deployment refuses the text',
  );
  for (const kind of ['json', 'docx'] as const) {
    const content = await makers[kind](words);
    await ended(
      deployment,
      owner,
      await submit(deployment, owner, `refused.${kind}`, content, { target_lang: 'it' }),
    );
  }
  deployment.faults.engine = null;
}

/** Reviews a document: comments, drafts, confirmations, repeated corrections and undone changes. */
async function review(deployment: Deployment, reviewer: Person, id: string, at: number, words: Prose) {
  const call = async (path: string, input: Fields, type: 'mutation' | 'query' = 'mutation') => {
    const { status, body } = await viaRpc(deployment, { path, type }, { input, headers: reviewer.bearer });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
    return body;
  };
  const read = async (): Promise<{ position: number; target_text: string | null }[]> =>
    (await call('documents.search', { document_id: id, limit: 200 }, 'query')).segments;
  const segments = await read();
  const placeOf = (n: number) => (n % 2 === 0 ? segments[n]?.position : undefined);
  const save = (which: typeof segments, fields: (text: string) => Fields) =>
    call('documents.save', {
      document_id: id,
      confirm_critical: true,
      reason: { code: 'client_wants_it', note: 'The customer has asked for these words.' },
      segments: which.map(({ position, target_text }) => ({
        ...{ position, replaces: target_text },
        ...fields(target_text ?? ''),
      })),
    });
  await call('reviews.claim', { kind: 'document', id, opened: true });
  for (let n = 0; n < 1 + (at % 5); n++)
    await call('reviews.comment', {
      ...{ kind: 'document', id, body: n === 0 ? words.japanese(3900) : words.sentence(300) },
      position: placeOf(n),
    });
  const translated = segments.filter(({ target_text }) => target_text !== null);
  if (translated.length === 0) return;
  // Among them the longest text, whose event in the history is the largest.
  const lengthOf = ({ target_text }: (typeof segments)[number]) => target_text?.length ?? 0;
  const [longest] = translated.toSorted((one, other) => lengthOf(other) - lengthOf(one));
  const edited = new Set([...translated.slice(-10), longest as (typeof segments)[number]]);
  const { change_id } = await save([...edited], (text) => ({ target_text: `${text.slice(0, 49_000)} *` }));
  if (at % 2 === 0 && change_id) await call('documents.undo', { document_id: id, change_id });
  await save(
    (await read()).filter(({ target_text }) => target_text !== null),
    (text) => ({ target_text: text, confirmed: true }),
  );
}
