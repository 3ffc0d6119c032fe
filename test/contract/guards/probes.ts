import { randomUUID } from 'node:crypto';
import type { Fields, Headers } from '#test/factories.ts';
import {
  addGlossary,
  addKey,
  addMemory,
  addSegmentation,
  addStyleGuide,
  documentForm,
  glossaryForm,
  memoryForm,
  queueDocument,
} from '#test/factories.ts';
import { password, submit } from '../../factories.ts';
import { redirectUri } from '../fixture.ts';
import { type GuardFixture, restoreSessions } from './guard-fixture.ts';

/** The expected status; for an error, also its detail. */
export type Outcome = '200' | '202' | '204' | `${number} ${string}`;

/** A valid call about the founder's workspace. Only the guard determines the response to each caller. */
export interface Probe {
  /** Creates the input. Called for each call, because a call that is admitted may change the data. */
  input?: (fixture: GuardFixture) => Fields | Promise<Fields>;
  /** Restores data that a call may have removed and that later calls need. */
  restore?: (fixture: GuardFixture) => Promise<void>;
  /** The response to a member of the founder's workspace whom the guard admits. The default is 200. */
  in?: Outcome;
  /** The response to an administrator of another tenant. The default is the value of `in`. */
  abroad?: Outcome;
  /** The response to a platform operator's session. The default is the value of `abroad`. */
  operator?: Outcome;
  /** The response to administrators who are not operators. The default is that of `tenants.create`. */
  operatorOnly?: Outcome;
}

const text = { source_text: 'Hello', target_lang: 'fr' };
const pair = { source_lang: 'en', target_lang: 'fr' };
const newTerm = {
  ...pair,
  source_term: 'a new term',
  target_term: 'un terme',
  case_sensitive: false,
  priority: 0,
};
const nothing = { token: 'nothing' };
const oidc = { provider: 'oidc' };
const noUser: Outcome = '404 user not found';
const noJob: Outcome = '404 job not found';
const noDocument: Outcome = '404 document job not found';
const noAnalysis: Outcome = '404 analysis not found';
const noMemory: Outcome = '404 translation memory set not found';
/** A 4.4: an operator may name another tenant, but an administrator may not. */
const ofNamedTenant: Pick<Probe, 'abroad' | 'operator'> = {
  abroad: '404 tenant not found',
  operator: '200',
};
const ofOperators: Pick<Probe, 'operatorOnly'> = {
  operatorOnly: '403 only platform operators can access documents of all workspaces',
};
const wrongProof: Pick<Probe, 'in' | 'operator'> = {
  in: '403 wrong password',
  operator: '409 no password is set; use an authenticator code',
};
const ofDeployment: Pick<Probe, 'operatorOnly'> = {
  operatorOnly: '403 only platform operators can operate the deployment',
};
const named = ({ founder }: GuardFixture) => ({ tenant_id: founder.tenantId });
const target = ({ target: { userId } }: GuardFixture) => ({ user_id: userId });
const leaver = ({ leaver: { userId } }: GuardFixture) => ({ user_id: userId });
const document = ({ documentId }: GuardFixture) => ({ document_id: documentId });
const change = ({ documentId }: GuardFixture) => ({ document_id: documentId, change_id: 'unknown' });
const noChange: Outcome = '404 change not found';
const noModel: Outcome = '400 no model is connected that could check the text again';
const noFinding = { finding_id: 'none', resolution: 'accepted' };
const heldJob = async ({ app, founder, heldJobId }: GuardFixture) => {
  const { body } = await app.json('GET', `/api/translations/${heldJobId}`, { headers: founder.key });
  return { job_id: heldJobId, updated_at: body.updated_at };
};
const job = ({ jobId }: GuardFixture) => ({ job_id: jobId });
const ofGlossary = (more: Fields = {}): Probe => ({
  input: async ({ app, founder }) => ({ set_id: await addGlossary(app, founder), ...more }),
  abroad: '404 terminology set not found',
});
const ofMemory = (more: Fields): Probe => ({
  input: ({ memoryId }) => ({ set_id: memoryId, ...more }),
  abroad: noMemory,
});
const noTexts = { source_text: 'none', target_text: 'none' };
const firstSegment = async ({ app, founder, documentId }: GuardFixture) =>
  (await app.json('GET', `/api/documents/${documentId}/segments`, { headers: founder.key })).body.segments[0];

const exported = async (app: GuardFixture['app'], key: Headers, path: string) =>
  (await app.request(path, { headers: { ...key, accept: 'application/xliff+xml' } })).text();

/** The probe of each procedure, by its path. Procedures without a probe are called without input. */
export const probes: Readonly<Record<string, Probe>> = {
  'auth.signUpWithEmail': {
    input: () => ({ tenant_name: 'New', email: 'nobody', password }),
    in: '400 invalid email address',
  },
  'auth.token': {
    input: () => ({ grant_type: 'refresh_token', refresh_token: 'nothing' }),
    in: '401 invalid or expired refresh token',
  },
  'auth.verifyMfa': {
    input: () => ({ challenge_id: 'nothing', mfa_code: '000000' }),
    in: '401 invalid or expired MFA challenge',
  },
  'auth.signOut': { input: () => ({ refresh_token: 'nothing' }), restore: restoreSessions },
  'auth.resetPassword': {
    input: () => ({ reset_token: 'nothing', new_password: password }),
    in: '401 invalid or expired reset link',
  },
  'auth.requestPasswordReset': { input: () => ({ email: 'nobody@example.org' }) },
  'auth.authorizeSso': { input: () => ({ ...oidc, redirect_uri: redirectUri }) },
  'auth.linkSso': { input: () => ({ ...oidc, redirect_uri: redirectUri }) },
  'auth.completeSso': {
    input: () => ({ ...oidc, code: 'nothing', state: 'nothing' }),
    in: '401 invalid or expired sign-in state',
  },
  'auth.ssoClientConfig': { input: () => oidc },
  'auth.confirmMfa': {
    async input({ sql }) {
      await sql`update users set totp_pending_secret = null`;
      return { mfa_code: '000000' };
    },
    in: '409 no pending enrollment; enroll first',
  },
  'auth.regenerateRecoveryCodes': { in: '409 no authenticator is enrolled' },
  'auth.revoke': { input: () => nothing },
  'auth.introspect': { input: () => nothing },

  'mail.preferences': {},
  // Without a field: the operator has no password, so a proof would have another response.
  'auth.prove': { in: '422 [object Object]' },
  'auth.changePassword': {
    input: () => ({ new_password: 'short one' }),
    in: '400 password too short: at least 12 characters',
  },
  'auth.endSession': { input: () => ({ session_id: 'unknown' }), in: '404 session not found' },
  'mail.setPreferences': { input: () => ({ digest: true }) },

  'members.previewInvite': { input: () => ({ invite_token: 'nothing' }) },
  // A 4.1: this procedure ignores another tenant's tenant_id.
  'members.list': { input: named },
  'members.colleagues': {},
  'members.revoke': { input: leaver, abroad: noUser },
  'members.restore': { input: leaver, abroad: noUser },
  'members.changeRole': {
    input: (fixture) => ({ ...target(fixture), role: 'agent_id_developer' }),
    abroad: noUser,
  },
  'members.resetMfa': { input: target, abroad: noUser },
  'members.issueResetLink': { input: target, abroad: noUser },
  'members.createInvite': {
    async input(fixture) {
      await fixture.sql`update invites set withdrawn_at = now() where invite_id <> ${fixture.inviteId}`;
      return named(fixture);
    },
    ...ofNamedTenant,
  },
  'members.listInvites': { input: named, ...ofNamedTenant },
  'members.withdrawInvite': {
    async input(fixture) {
      await fixture.sql`update invites set withdrawn_at = null where invite_id = ${fixture.inviteId}`;
      return { ...named(fixture), invite_id: fixture.inviteId };
    },
    in: '204',
    abroad: '404 tenant not found',
    operator: '204',
  },

  'tenants.create': { input: () => ({ name: 'New' }) },
  'tenants.saveGeneral': {
    input: () => ({ name: 'New', default_source_lang: null, default_target_langs: [] }),
  },
  'tenants.setSecurityPolicy': {
    input: (fixture) => ({ ...named(fixture), mfa_required: false }),
    ...ofNamedTenant,
  },

  'apiKeys.create': { input: () => ({ name: 'A', scopes: ['read'], password: 'wrong' }), ...wrongProof },
  'apiKeys.update': { input: () => ({ key_id: 'a', name: 'A', password: 'wrong' }), ...wrongProof },
  'apiKeys.rotate': { input: () => ({ key_id: 'a', password: 'wrong' }), ...wrongProof },
  'apiKeys.revoke': {
    input: async ({ app, founder }) => ({ key_id: (await addKey(app, founder)).key_id }),
    abroad: '404 API key not found',
  },

  // The password is wrong, because a right one would replace the key that the next callers use.
  'tenants.rotateKey': {
    input: () => ({ password: 'a wrong passphrase' }),
    ...wrongProof,
  },

  'billing.checkout': { input: () => ({ tier: 'pro' }) },
  'billing.topup': {
    async input({ sql }) {
      await sql`delete from rate_windows`;
      return {};
    },
    in: '402 top-ups require an active subscription',
  },
  'billing.portal': {
    async input({ sql }) {
      await sql`update tenants set metadata = metadata - 'pay_customer_id'`;
      return {};
    },
    in: '409 no Stripe customer for this workspace yet; run checkout first',
  },
  'billing.webhook': { input: () => ({ body: '{}' }), in: '400 invalid webhook signature' },

  // A 4.4: this procedure ignores another tenant's tenant_id.
  'usage.daily': { input: named },
  'usage.breakdown': { input: () => ({ by: 'kind' }) },
  'usage.summary': { input: named, ...ofNamedTenant },
  'usage.export': { input: named, ...ofNamedTenant },

  'translations.create': { input: () => text },
  'translations.createBatch': {
    input: () => ({ inputs: [{ Text: 'Hello', Targets: [{ Language: 'fr' }] }] }),
  },
  'translations.createFromText': {
    input: () => ({ ...text, metadata: { source_document: { name: 'a.txt' } } }),
  },
  'translations.createFromFile': {
    input: () => ({ source_document: new File(['Hello'], 'a.txt'), target_lang: 'fr' }),
  },
  'translations.get': { input: job, abroad: noJob },
  'translations.review': {
    input: ({ heldJobId }) => ({ job_id: heldJobId, action: 'save', final_translation: 'Salut' }),
    abroad: noJob,
  },
  'translations.exportXliff': {
    abroad: '404 no job matches this filter',
  },
  'translations.reviewXliff': {
    async input({ app, founder, heldJobId }) {
      return { job_id: heldJobId, body: await exported(app, founder.key, '/api/translations') };
    },
    abroad: noJob,
  },
  'translations.golden': { input: job, abroad: noJob },
  'translations.delete': {
    input: async ({ app, founder }) => ({ job_id: await submit(app, founder) }),
    abroad: noJob,
  },
  'translations.check': { input: (at) => ({ ...job(at), text: 'Salut' }), abroad: noJob },
  'translations.act': {
    input: async (at) => ({ ...(await heldJob(at)), action: 'save', final_translation: 'Salut' }),
    abroad: noJob,
  },
  'translations.resolve': {
    input: async (at) => ({ ...(await heldJob(at)), ...noFinding }),
    in: '409 the finding is no longer open; read the findings again',
    abroad: noJob,
  },
  'translations.recheck': { input: heldJob, in: noModel, abroad: noJob },
  // This procedure responds with 200, and reports rejected reviews in its results.
  'translations.reviewMany': {
    input: ({ heldJobId }) => ({
      reviews: [{ job_id: heldJobId, action: 'save', final_translation: 'Salut' }],
    }),
  },

  // The job awaits review, so the call fails after the guard has admitted it.
  'reviews.reopen': {
    input: ({ heldJobId }) => ({ kind: 'job', id: heldJobId }),
    in: '409 the job is not closed (status=awaiting_review)',
    abroad: noJob,
  },
  'reviews.comments': { input: ({ jobId }) => ({ kind: 'job', id: jobId }), abroad: noJob },
  'reviews.comment': { input: ({ jobId }) => ({ kind: 'job', id: jobId, body: 'Fine' }), abroad: noJob },
  'reviews.deleteComment': { input: () => ({ comment_id: randomUUID() }), in: '404 comment not found' },
  'reviews.claim': { input: ({ jobId }) => ({ kind: 'job', id: jobId }), abroad: noJob },

  'analyses.create': { input: () => ({ target_langs: ['fr'] }) },
  'analyses.addFile': {
    input: () => ({ analysis_id: randomUUID(), file_name: 'a.docx', content: '' }),
    in: noAnalysis,
  },
  'analyses.removeFile': { input: () => ({ analysis_id: randomUUID(), file_id: 'a' }), in: noAnalysis },
  'analyses.setVersion': {
    input: () => ({ analysis_id: randomUUID(), file_id: 'a', used: true }),
    in: noAnalysis,
  },
  'analyses.list': { input: () => ({}) },
  ...Object.fromEntries(
    ['get', 'start', 'cancel', 'delete', 'exportXlsx'].map((name): [string, Probe] => [
      `analyses.${name}`,
      { input: () => ({ analysis_id: randomUUID() }), in: noAnalysis },
    ]),
  ),
  'assignments.assign': { input: ({ jobId }) => ({ items: [{ kind: 'job', id: jobId }], assignee: null }) },
  'assignments.pass': {
    input: ({ heldJobId }) => ({ kind: 'job', id: heldJobId }),
    in: '409 the item has no second review',
    abroad: noJob,
  },
  'assignments.saveProfile': { input: () => ({ display_name: 'Ada' }) },
  'assignments.saveRules': { input: () => ({ rules: [] }) },

  'quality.checks': { input: () => ({ origin: 'spot_check' }) },
  'quality.check': { input: () => ({ check_id: randomUUID() }), in: '404 check not found' },
  'quality.decide': { input: () => ({ check_id: randomUUID() }), in: '404 check not found' },
  'quality.mark': {
    input: () => ({ item_kind: 'job', item_id: randomUUID(), errors: [], known: [] }),
    in: noJob,
  },
  'quality.draw': { input: () => ({ origin: 'spot_check', target_lang: 'fr', count: 1 }) },
  'quality.saveSettings': {
    input: () => ({
      ...{ sample_percent: 5, language_percents: {}, minor_points: 1, major_points: 5, critical_points: 25 },
      pass_score: 95,
    }),
  },

  'documents.translate': { input: () => documentForm(), in: '202' },
  'documents.get': { input: document, abroad: noDocument },
  'documents.segments': { input: document, abroad: noDocument },
  'documents.artifacts': { input: document, abroad: noDocument },
  'documents.download': { input: document, abroad: noDocument },
  'documents.review': {
    input: async (at) => {
      const { region_id, cell_id } = await firstSegment(at);
      return { ...document(at), corrections: [{ region_id, cell_id, target_text: 'Salut' }] };
    },
    abroad: noDocument,
  },
  'documents.exportXliff': { input: document, abroad: noDocument },
  'documents.reviewXliff': {
    async input({ app, founder, documentId }) {
      const path = `/api/documents/${documentId}/segments`;
      return { document_id: documentId, body: await exported(app, founder.key, path) };
    },
    abroad: noDocument,
  },
  'documents.approve': {
    input: ({ documentId }) => ({ document_id: documentId, reviewer: 'Rev' }),
    abroad: noDocument,
  },
  'documents.delete': {
    input: async ({ app, founder }) => ({ document_id: await queueDocument(app, founder) }),
    abroad: noDocument,
  },
  'documents.progress': { input: ({ documentId }) => ({ document_ids: [documentId] }) },
  'documents.files': { input: () => ({}) },
  'documents.outline': { input: document, abroad: noDocument },
  'documents.search': { input: document, abroad: noDocument },
  'documents.boxes': { input: document, abroad: noDocument },
  'documents.correct': {
    input: async (at) => {
      const { region_id, cell_id, target_text: replaces } = await firstSegment(at);
      return { ...document(at), corrections: [{ region_id, cell_id, replaces, target_text: 'Salut' }] };
    },
    abroad: noDocument,
  },
  'documents.check': {
    input: ({ documentId }) => ({ document_id: documentId, position: 0, text: 'Salut' }),
    abroad: noDocument,
  },
  'documents.confirm': {
    input: async (at) => {
      const segments = [{ position: 0, target_text: (await firstSegment(at)).target_text }];
      return { ...document(at), segments, confirm_critical: true, reviewer: 'Rev' };
    },
    abroad: noDocument,
  },
  'documents.confirmAll': {
    input: ({ documentId }) => ({ document_id: documentId, statuses: ['todo'], reviewer: 'Rev' }),
    abroad: noDocument,
  },
  'documents.save': {
    input: async (at) => {
      const { target_text: replaces } = await firstSegment(at);
      return { ...document(at), segments: [{ position: 0, target_text: 'Salut', replaces }] };
    },
    abroad: noDocument,
  },
  'documents.resolve': {
    input: async (at) => {
      const { target_text } = await firstSegment(at);
      return { ...document(at), position: 0, target_text, ...noFinding, reviewer: 'Rev' };
    },
    in: '409 the finding is no longer open; read the findings again',
    abroad: noDocument,
  },
  'documents.recheck': {
    input: ({ documentId }) => ({ document_id: documentId, positions: [0] }),
    in: noModel,
    abroad: noDocument,
  },
  'documents.undo': { input: change, in: noChange, abroad: noDocument },
  'documents.redo': { input: change, in: noChange, abroad: noDocument },
  'documents.history': {
    input: ({ documentId }) => ({ document_id: documentId, position: 0 }),
    abroad: noDocument,
  },
  'documents.render': { input: document, abroad: noDocument },
  'documents.approveMany': {
    input: ({ documentId }) => ({ document_ids: [documentId], reviewer: 'Rev' }),
  },
  'documents.outage': { input: () => ({ since: '2099-07-31T00:00:00Z' }), ...ofOperators },
  'documents.requeue': { input: () => ({ since: '2099-07-31T00:00:00Z' }), ...ofOperators },

  'retention.anonymizeMember': {
    input: target,
    in: '409 revoke the access of the member first',
    abroad: noUser,
  },
  'operations.engines': ofDeployment,
  'operations.models': ofDeployment,
  'operations.queue': ofDeployment,
  'operations.retry': { input: () => ({ task: 'run_document' }), ...ofDeployment },
  'operations.workspace': { input: named, ...ofDeployment },

  'engines.save': { input: () => ({ kind: 'deepl', api_key: 'never-sent-to-anyone' }) },
  // The service cannot be reached, which is a result.
  'engines.test': { input: () => ({ kind: 'google', api_key: 'never-sent-to-anyone' }) },
  'storage.bind': { input: () => ({ provider: 'platform' }) },

  'segmentation.get': {
    input: async ({ app, founder }) => {
      await addSegmentation(app, founder);
      return {};
    },
    abroad: '404 segmentation rules not found',
  },
  'segmentation.save': {
    input: async ({ app, founder }) => {
      const { name, srx } = await addSegmentation(app, founder);
      return { name, srx };
    },
  },
  'segmentation.delete': {
    input: async ({ app, founder }) => {
      await addSegmentation(app, founder);
      return {};
    },
  },

  'textRules.save': { input: () => ({ keys: ['cta'], attributes: [], placeholders: [] }) },
  'textRules.try': { input: () => ({ placeholders: ['XX-\\d+'], text: 'Order XX-12' }) },

  'styleGuides.get': {
    input: async ({ app, founder }) => {
      const { target_lang } = await addStyleGuide(app, founder);
      return { target_lang };
    },
    abroad: '404 style guide not found',
  },
  'styleGuides.save': {
    input: async ({ app, founder }) => {
      const { version } = await addStyleGuide(app, founder);
      return { target_lang: null, rules: 'New rules', version };
    },
    abroad: '409 another member has changed this style guide',
  },
  'styleGuides.delete': {
    input: async ({ app, founder }) => {
      const { version } = await addStyleGuide(app, founder);
      return { target_lang: null, version };
    },
    abroad: '404 style guide not found',
  },

  'terminology.spellingWords': { input: () => ({ lang: 'fr' }) },
  'terminology.setSpellingWord': { input: () => ({ lang: 'fr', word: 'Zephyrine' }) },
  'terminology.upload': { input: () => glossaryForm() },
  'terminology.create': { input: async () => ({ name: 'A new glossary', ...pair }) },
  'terminology.exportXlsx': ofGlossary(),
  'terminology.exportCsv': ofGlossary(),
  'terminology.exportTbx': ofGlossary(),
  'terminology.delete': { ...ofGlossary(), in: '204' },
  'terminology.entries': ofGlossary(),
  'terminology.addEntry': ofGlossary({ ...pair, source_term: 'a new term', target_term: 'un terme' }),
  'terminology.pairs': ofGlossary(),
  'terminology.rename': {
    input: async ({ app, founder }) => {
      const set_id = await addGlossary(app, founder);
      return { set_id, name: `Renamed ${set_id}` };
    },
    abroad: '404 terminology set not found',
  },
  'terminology.terms': ofGlossary(),
  'terminology.addTerm': ofGlossary({ term: newTerm }),
  'terminology.updateTerm': {
    ...ofGlossary({ entry_no: 1000, replaces: newTerm, term: newTerm }),
    in: '404 term not found',
  },
  'terminology.deleteTerm': ofGlossary({ entry_no: 1000, replaces: newTerm }),
  'terminology.previewUpload': { input: () => ({ file_name: 'a.csv', content: btoa('a,b'), name: 'New' }) },
  'terminology.applyPreview': {
    input: () => ({ file_name: 'a.csv', content: btoa('a,b'), name: 'Previewed', revision: null }),
  },
  'terminology.matches': { input: () => ({ ...pair, source_text: 'word 0' }) },
  'terminology.matchesOfTexts': { input: () => ({ ...pair, source_texts: ['word 0'] }) },

  'memory.import': { input: () => memoryForm(1, { name: 'Imported' }) },
  'memory.getImport': { input: ({ importId }) => ({ job_id: importId }), abroad: '404 import job not found' },
  'memory.delete': {
    input: async ({ app, founder }) => ({ set_id: await addMemory(app, founder, 'To be deleted') }),
    in: '204',
    abroad: noMemory,
  },
  'memory.export': { input: ({ memoryId }) => ({ set_id: memoryId }), abroad: noMemory },
  'memory.exportCsv': { input: ({ memoryId }) => ({ set_id: memoryId }), abroad: noMemory },
  'memory.exportGolden': {
    input: () => pair,
    abroad: '404 no approved golden pairs for this language pair',
  },
  'memory.browse': { input: ({ memoryId }) => ({ set_id: memoryId }), abroad: noMemory },
  'memory.concordance': { input: () => ({ ...pair, text: 'Unit' }) },
  'memory.updateUnit': {
    ...ofMemory({ unit_no: 1000, replaces: noTexts, ...noTexts }),
    in: '404 segment not found',
  },
  'memory.deleteUnits': ofMemory({ units: [{ unit_no: 1000, ...noTexts }] }),
  'memory.countFound': ofMemory({ text: 'Unit' }),
  'memory.deleteFound': {
    ...ofMemory({ text: 'nowhere', version: 'other' }),
    in: '409 the segments that the search finds have changed since the preview; look at the preview again',
  },
  'memory.previewReplace': ofMemory({ find: 'Unit', replacement: 'Part' }),
  'memory.replace': {
    ...ofMemory({ find: 'nowhere', replacement: 'here', version: 'other' }),
    in: '409 the segments that the search finds have changed since the preview; look at the preview again',
  },
  'memory.problems': ofMemory({}),
  'memory.duplicates': ofMemory({}),
  'memory.mergeDuplicates': {
    ...ofMemory({ segments: 1 }),
    in: '409 the search now finds 0 segments instead of 1; look at the preview again',
  },
  'memory.otherTranslations': ofMemory({}),
  'memory.changes': ofMemory({}),
  'memory.undo': {
    input: () => ({ change_id: 'unknown' }),
    in: '404 change not found; changes are kept for 30 days',
    abroad: '404 change not found; changes are kept for 30 days',
  },
  'memory.setPenalty': ofMemory({ penalty: 0, age_penalty: 0 }),
  'memory.matches': { input: () => ({ ...pair, source_text: 'Unit 0' }) },
  'terminology.candidates': {
    input: () => ({ ...pair, files: [{ file_name: 'a.txt', content: btoa('The lease. A lease.') }] }),
  },
  'terminology.rejectCandidates': { input: () => ({ source_lang: 'en', terms: ['lease'] }) },
  'memory.align': {
    input: () => ({
      ...pair,
      source_file: { file_name: 'a.txt', content: btoa('Unit 0') },
      target_file: { file_name: 'b.txt', content: btoa('Unit 0') },
    }),
  },
  'memory.addPairs': ofMemory({ ...pair, pairs: [{ source: 'Unit 0', target: 'Unité 0' }] }),
  'memory.importPairs': {
    input: () => ({ ...pair, name: 'Pairs', pairs: [{ source: 'Unit 0', target: 'Unité 0' }] }),
  },
};
