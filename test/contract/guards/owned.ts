import { randomUUID } from 'node:crypto';
import { workbook } from '#test/factories/workbook.ts';
import { addDocument, addKey, addMemory, approvePair, type Fields, openSession } from '#test/factories.ts';
import { submit } from '../../factories.ts';
import { viaRpc } from '../call.ts';
import type { GuardFixture } from './guard-fixture.ts';

type Owned = (at: GuardFixture) => Fields | Promise<Fields>;

/** A text that only the own workspace stores, for procedures that are called without an ID. */
export const foundersKey = 'founders-own-key';

const draw = { target_lang: 'fr', count: 50 };

/** Calls a procedure as the administrator, and returns the response. */
async function asFounder(
  at: GuardFixture,
  path: string,
  input: Fields,
  type: 'query' | 'mutation' = 'mutation',
) {
  const { status, body } = await viaRpc(at.app, { path, type }, { input, headers: at.founder.bearer });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

const analysis = async (at: GuardFixture) => {
  // A workspace has few unfinished analyses at a time.
  const { analyses } = await asFounder(at, 'analyses.list', {}, 'query');
  for (const { id } of analyses) await asFounder(at, 'analyses.delete', { analysis_id: id });
  const { id: analysis_id } = await asFounder(at, 'analyses.create', { target_langs: ['fr'] });
  const content = Buffer.from(workbook('Hello')).toString('base64');
  const { files } = await asFounder(at, 'analyses.addFile', { analysis_id, file_name: 'a.xlsx', content });
  return { analysis_id, file_id: files[0].id };
};
const ofAnalysis: Owned = async (at) => ({ analysis_id: (await analysis(at)).analysis_id });
const key = async (at: GuardFixture) => ({
  key_id: (await addKey(at.app, at.founder)).key_id,
  password: at.founder.password,
});
const check: Owned = async (at) => {
  await submit(at.app, at.founder, { source_text: `To be checked ${randomUUID()}` });
  await asFounder(at, 'quality.draw', { origin: 'spot_check', ...draw });
  const { checks } = await asFounder(at, 'quality.checks', { origin: 'spot_check' }, 'query');
  return { check_id: checks[0].check_id };
};
/** A change of a document that can be undone, and which is undone if `undone`. */
const change = async (at: GuardFixture, undone = false) => {
  const document_id = at.documentId;
  const path = `/api/documents/${document_id}/segments`;
  const { body } = await at.app.json('GET', path, { headers: at.founder.key });
  const segments = [
    { position: 0, target_text: `Salut ${randomUUID()}`, replaces: body.segments[0].target_text },
  ];
  const { change_id } = await asFounder(at, 'documents.save', { document_id, segments });
  if (undone) await asFounder(at, 'documents.undo', { document_id, change_id });
  return { document_id, change_id };
};

/**
 * Inputs with IDs of the own workspace, for procedures that the callers of `probes.ts` call with IDs that nothing
 * has, or without the filter that takes IDs.
 */
export const owned: Readonly<Record<string, Owned>> = {
  'analyses.addFile': async (at) => ({ ...(await ofAnalysis(at)), file_name: 'a.docx', content: '' }),
  'analyses.removeFile': analysis,
  'analyses.setVersion': async (at) => ({ ...(await analysis(at)), used: true }),
  'analyses.get': ofAnalysis,
  'analyses.start': ofAnalysis,
  'analyses.cancel': ofAnalysis,
  'analyses.delete': ofAnalysis,
  'analyses.exportXlsx': ofAnalysis,
  'apiKeys.update': async (at) => ({ ...(await key(at)), name: 'Renamed' }),
  'apiKeys.rotate': key,
  'assignments.list': ({ heldJobId }) => ({ items: [{ kind: 'job', id: heldJobId }] }),
  'assignments.profiles': ({ target }) => ({ user_id: target.userId }),
  'assignments.saveProfile': ({ target }) => ({ user_id: target.userId, display_name: 'Ada' }),
  'audit.list': ({ founder }) => ({ actor_id: founder.userId }),
  'auth.endSession': async (at) => {
    await openSession(at.app, at.founder);
    const { sessions } = await asFounder(at, 'auth.sessions', {}, 'query');
    return { session_id: sessions.find((one: Fields) => !one['current']).id };
  },
  'documents.files': ({ documentId }) => ({ document_ids: [documentId] }),
  'documents.undo': (at) => change(at),
  'documents.redo': (at) => change(at, true),
  'memory.changes': ({ memoryId }) => ({ set_id: memoryId }),
  'memory.undo': async (at) => {
    const set_id = await addMemory(at.app, at.founder, `Undone ${randomUUID()}`);
    const { units } = await asFounder(at, 'memory.browse', { set_id }, 'query');
    const [{ unit_no, source_text, target_text }] = units;
    return asFounder(at, 'memory.deleteUnits', { set_id, units: [{ unit_no, source_text, target_text }] });
  },
  'quality.check': check,
  'quality.decide': check,
  'quality.draw': async (at) => {
    await approvePair(at.app, at.founder);
    return { origin: 'quality_check', ...draw, reviewer: at.founder.userId };
  },
  'quality.marks': async (at) => {
    const errors = [{ category: 'accuracy', severity: 'minor', start: 0, end: 1, note: foundersKey }];
    // The fixture's document may be approved by then.
    const item_id = await addDocument(at.app, at.founder);
    await asFounder(at, 'quality.mark', { item_kind: 'document', item_id, errors, known: [] });
    return { document_id: item_id };
  },
  'quality.mark': ({ heldJobId }) => ({ item_kind: 'job', item_id: heldJobId, errors: [], known: [] }),
  'reviews.deleteComment': async (at) => {
    const sent = { kind: 'job', id: at.jobId, body: 'Fine', comment_id: randomUUID() };
    await asFounder(at, 'reviews.comment', sent);
    return { comment_id: sent.comment_id };
  },
  'reviews.texts': ({ heldJobId }) => ({ job_ids: [heldJobId] }),
  'textRules.get': async (at) => {
    await asFounder(at, 'textRules.save', { keys: [foundersKey], attributes: [], placeholders: [] });
    return {};
  },
};
