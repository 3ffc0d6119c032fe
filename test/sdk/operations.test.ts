import { expect, test } from 'vitest';
import { type Fetch, LinguaLoop, LinguaLoopError } from '#sdk/index.ts';
import { appRouter } from '#server/router.ts';
import { proceduresOf } from '#server/trpc.ts';
import { namesOf } from '#test/contract/procedures.ts';
import { forBrowsers, withoutRoute } from '#test/contract/without-route.ts';

const file = { name: 'a.docx', data: new Uint8Array([1]) };
const terms = { name: 'a.csv', data: new Uint8Array([1]) };

/** For each method of the client that sends a request, a call of it. */
const calls: Record<string, (client: LinguaLoop) => unknown> = {
  'analyses.create': ({ analyses }) => analyses.create({ target_langs: ['fr'] }),
  'analyses.addFile': ({ analyses }) => analyses.addFile('a', file),
  'analyses.removeFile': ({ analyses }) => analyses.removeFile('a', 'f'),
  'analyses.setVersion': ({ analyses }) => analyses.setVersion('a', 'f', false),
  'analyses.get': ({ analyses }) => analyses.get('a'),
  'analyses.list': ({ analyses }) => analyses.list().toArray({ limit: 1 }),
  'analyses.listPage': ({ analyses }) => analyses.listPage(),
  'analyses.start': ({ analyses }) => analyses.start('a'),
  'analyses.cancel': ({ analyses }) => analyses.cancel('a'),
  'analyses.delete': ({ analyses }) => analyses.delete('a'),
  'analyses.exportXlsx': ({ analyses }) => analyses.exportXlsx('a'),
  'apiKeys.list': ({ apiKeys }) => apiKeys.list(),
  'apiKeys.create': ({ apiKeys }) => apiKeys.create({ name: 'a', scopes: ['read'] }),
  'apiKeys.update': ({ apiKeys }) => apiKeys.update({ key_id: 'a', name: 'b' }),
  'apiKeys.rotate': ({ apiKeys }) => apiKeys.rotate({ key_id: 'a' }),
  'apiKeys.revoke': ({ apiKeys }) => apiKeys.revoke('a'),
  'assignments.mine': ({ assignments }) => assignments.mine().toArray({ limit: 1 }),
  'assignments.minePage': ({ assignments }) => assignments.minePage(),
  'assignments.list': ({ assignments }) => assignments.list().toArray({ limit: 1 }),
  'assignments.listPage': ({ assignments }) => assignments.listPage(),
  'assignments.assign': ({ assignments }) => assignments.assign({ items: [], assignee: null }),
  'assignments.pass': ({ assignments }) => assignments.pass({ kind: 'job', id: 'a' }),
  'assignments.profiles': ({ assignments }) => assignments.profiles(),
  'assignments.saveProfile': ({ assignments }) => assignments.saveProfile({}),
  'assignments.load': ({ assignments }) => assignments.load(),
  'assignments.rules': ({ assignments }) => assignments.rules(),
  'assignments.saveRules': ({ assignments }) => assignments.saveRules({ rules: [] }),
  'audit.list': ({ audit }) => audit.list().toArray({ limit: 1 }),
  'audit.listPage': ({ audit }) => audit.listPage(),
  'auth.signUp': ({ auth }) => auth.signUp({ tenant_name: 'a', email: 'a', password: 'a' }),
  'auth.signIn': ({ auth }) => auth.signIn({ email: 'a', password: 'a' }),
  'auth.me': ({ auth }) => auth.me(),
  'auth.token': ({ auth }) => auth.token({ grant_type: 'refresh_token', refresh_token: 'a' }),
  'auth.verifyMfa': ({ auth }) => auth.verifyMfa({ challenge_id: 'a', mfa_code: '1' }),
  'auth.enrollMfa': ({ auth }) => auth.enrollMfa(),
  'auth.confirmMfa': ({ auth }) => auth.confirmMfa({ mfa_code: '1' }),
  'auth.regenerateRecoveryCodes': ({ auth }) => auth.regenerateRecoveryCodes(),
  'auth.introspect': ({ auth }) => auth.introspect('a'),
  'auth.revoke': ({ auth }) => auth.revoke('a'),
  'auth.previewInvite': ({ auth }) => auth.previewInvite('a'),
  'auth.resetPassword': ({ auth }) => auth.resetPassword({ reset_token: 'a', new_password: 'a' }),
  'auth.signOut': ({ auth }) => auth.signOut(),
  'auth.sso.authorize': ({ auth }) => auth.sso.authorize('oidc', { redirect_uri: 'a' }),
  'auth.sso.complete': ({ auth }) => auth.sso.complete('oidc', { code: 'a', state: 'a' }),
  'auth.sso.clientConfig': ({ auth }) => auth.sso.clientConfig('oidc'),
  'billing.checkout': ({ billing }) => billing.checkout({ tier: 'pro' }),
  'billing.topUp': ({ billing }) => billing.topUp(),
  'billing.portal': ({ billing }) => billing.portal(),
  'documents.translate': ({ documents }) => documents.translate(file, { target_lang: 'fr' }),
  'documents.estimate': ({ documents }) => documents.estimate(file, { target_lang: 'fr' }),
  'documents.resume': ({ documents }) => documents.resume('a'),
  'documents.get': ({ documents }) => documents.get('a'),
  'documents.list': ({ documents }) => documents.list().toArray({ limit: 1 }),
  'documents.listPage': ({ documents }) => documents.listPage(),
  'documents.summary': ({ documents }) => documents.summary(),
  'documents.segments': ({ documents }) => documents.segments('a').toArray({ limit: 1 }),
  'documents.segmentPage': ({ documents }) => documents.segmentPage('a'),
  'documents.artifacts': ({ documents }) => documents.artifacts('a'),
  'documents.download': ({ documents }) => documents.download('a'),
  'documents.texts': ({ documents }) => documents.texts('a'),
  'documents.review': ({ documents }) => documents.review('a', { corrections: [] }),
  'documents.exportXliff': ({ documents }) => documents.exportXliff('a'),
  'documents.reviewXliff': ({ documents }) => documents.reviewXliff('a', '<xliff/>'),
  'documents.approve': ({ documents }) => documents.approve('a'),
  'documents.delete': ({ documents }) => documents.delete('a'),
  'documents.progress': ({ documents }) => documents.progress({ document_ids: ['a'] }),
  'documents.outline': ({ documents }) => documents.outline('a'),
  'documents.search': ({ documents }) => documents.search({ document_id: 'a' }),
  'documents.boxes': ({ documents }) => documents.boxes({ document_id: 'a', page: 1 }),
  'documents.correct': ({ documents }) => documents.correct({ document_id: 'a', corrections: [] }),
  'documents.check': ({ documents }) => documents.check({ document_id: 'a', position: 0, text: 'b' }),
  'documents.resolve': ({ documents }) =>
    documents.resolve({
      document_id: 'a',
      position: 0,
      target_text: 'b',
      finding_id: 'c',
      resolution: 'accepted',
    }),
  'documents.recheck': ({ documents }) => documents.recheck({ document_id: 'a', positions: [0] }),
  'documents.confirmAll': ({ documents }) => documents.confirmAll({ document_id: 'a', statuses: ['todo'] }),
  'documents.confirm': ({ documents }) =>
    documents.confirm({ document_id: 'a', segments: [{ position: 0, target_text: 'b' }] }),
  'documents.save': ({ documents }) =>
    documents.save({ document_id: 'a', segments: [{ position: 0, target_text: 'b', replaces: null }] }),
  'documents.undo': ({ documents }) => documents.undo({ document_id: 'a', change_id: 'b' }),
  'documents.redo': ({ documents }) => documents.redo({ document_id: 'a', change_id: 'b' }),
  'documents.history': ({ documents }) => documents.history({ document_id: 'a', position: 0 }),
  'documents.render': ({ documents }) => documents.render('a'),
  'documents.approveMany': ({ documents }) => documents.approveMany({ document_ids: ['a'] }),
  'documents.outage': ({ documents }) => documents.outage({ since: '2026-07-31T00:00:00Z' }),
  'documents.requeue': ({ documents }) => documents.requeue({ since: '2026-07-31T00:00:00Z' }),
  'events.list': ({ events }) => events.list(),
  'events.stream': async ({ events }) => {
    // A stream connects again without end, unless this function throws.
    const onReconnect = (error: LinguaLoopError) => {
      if (error.status !== null) throw error;
    };
    for await (const event of events.stream({ onReconnect })) return event;
  },
  'members.list': ({ members }) => members.list().toArray({ limit: 1 }),
  'members.listPage': ({ members }) => members.listPage(),
  'members.revoke': ({ members }) => members.revoke('a'),
  'members.restore': ({ members }) => members.restore('a'),
  'members.setRole': ({ members }) => members.setRole('a', 'agent_id_developer'),
  'members.resetMfa': ({ members }) => members.resetMfa('a'),
  'members.createPasswordResetLink': ({ members }) => members.createPasswordResetLink('a'),
  'memory.importTmx': ({ memory }) =>
    memory.importTmx({ ...file, name: 'a.tmx' }, { name: 'a', source_lang: 'en', target_lang: 'fr' }),
  'memory.resumeImport': ({ memory }) => memory.resumeImport('a'),
  'memory.list': ({ memory }) => memory.list(),
  'memory.sets': ({ memory }) => memory.sets().toArray({ limit: 1 }),
  'memory.setPage': ({ memory }) => memory.setPage(),
  'memory.imports': ({ memory }) => memory.imports(),
  'memory.getImport': ({ memory }) => memory.getImport('a'),
  'memory.delete': ({ memory }) => memory.delete('a'),
  'memory.export': ({ memory }) => memory.export('a'),
  'memory.exportCsv': ({ memory }) => memory.exportCsv('a'),
  'memory.exportGolden': ({ memory }) => memory.exportGolden({ source_lang: 'en', target_lang: 'fr' }),
  'memory.browse': ({ memory }) => memory.browse().toArray({ limit: 1 }),
  'memory.browsePage': ({ memory }) => memory.browsePage(),
  'memory.concordance': ({ memory }) => memory.concordance({} as never).toArray({ limit: 1 }),
  'memory.concordancePage': ({ memory }) => memory.concordancePage({} as never),
  'memory.matches': ({ memory }) =>
    memory.matches({ source_text: 'a', source_lang: 'en', target_lang: 'fr' }),
  'memory.align': ({ memory }) => memory.align(file, file, { source_lang: 'en', target_lang: 'fr' }),
  'memory.addPairs': ({ memory }) =>
    memory.addPairs({ set_id: 'a', source_lang: 'en', target_lang: 'fr', pairs: [] }),
  'memory.importPairs': ({ memory }) =>
    memory.importPairs({ name: 'a', source_lang: 'en', target_lang: 'fr', pairs: [] }),
  'memory.updateUnit': ({ memory }) => memory.updateUnit({} as never),
  'memory.deleteUnits': ({ memory }) => memory.deleteUnits({} as never),
  'memory.countFound': ({ memory }) => memory.countFound({} as never),
  'memory.deleteFound': ({ memory }) => memory.deleteFound({} as never),
  'memory.previewReplace': ({ memory }) => memory.previewReplace({} as never),
  'memory.replace': ({ memory }) => memory.replace({} as never),
  'memory.problems': ({ memory }) => memory.problems({ set_id: 'a' }).toArray({ limit: 1 }),
  'memory.problemPage': ({ memory }) => memory.problemPage({ set_id: 'a' }),
  'memory.duplicates': ({ memory }) => memory.duplicates('a'),
  'memory.mergeDuplicates': ({ memory }) => memory.mergeDuplicates({} as never),
  'memory.otherTranslations': ({ memory }) => memory.otherTranslations({ set_id: 'a' }).toArray({ limit: 1 }),
  'memory.otherTranslationsPage': ({ memory }) => memory.otherTranslationsPage({ set_id: 'a' }),
  'memory.changes': ({ memory }) => memory.changes().toArray({ limit: 1 }),
  'memory.changePage': ({ memory }) => memory.changePage(),
  'memory.undo': ({ memory }) => memory.undo('a'),
  'memory.penalties': ({ memory }) => memory.penalties(),
  'memory.setPenalty': ({ memory }) => memory.setPenalty({ set_id: 'a', penalty: 0, age_penalty: 0 }),
  'quality.checks': ({ quality }) => quality.checks({ origin: 'spot_check' }).toArray({ limit: 1 }),
  'quality.checkPage': ({ quality }) => quality.checkPage({ origin: 'spot_check' }),
  'quality.check': ({ quality }) => quality.check('a'),
  'quality.decide': ({ quality }) => quality.decide({ check_id: 'a' }),
  'quality.marks': ({ quality }) => quality.marks(),
  'quality.mark': ({ quality }) => quality.mark({ item_kind: 'job', item_id: 'a', errors: [], known: [] }),
  'quality.draw': ({ quality }) => quality.draw({ origin: 'spot_check', target_lang: 'fr', count: 1 }),
  'quality.settings': ({ quality }) => quality.settings(),
  'quality.saveSettings': ({ quality }) => quality.saveSettings({} as never),
  'quality.report': ({ quality }) => quality.report(),
  'quality.calibrations': ({ quality }) => quality.calibrations(),
  'quality.scorecard': ({ quality }) => quality.scorecard(),
  'reviews.reopen': ({ reviews }) => reviews.reopen({ kind: 'job', id: 'a' }),
  'reviews.next': ({ reviews }) => reviews.next(),
  'reviews.claim': ({ reviews }) => reviews.claim({ kind: 'job', id: 'a' }),
  'reviews.byReviewer': ({ reviews }) => reviews.byReviewer({}),
  'reviews.approvedItems': ({ reviews }) => reviews.approvedItems({ format: 'csv' }),
  'engines.get': ({ engines }) => engines.get(),
  'engines.save': ({ engines }) => engines.save({ kind: 'deepl' }),
  'engines.remove': ({ engines }) => engines.remove(),
  'engines.test': ({ engines }) => engines.test({ kind: 'deepl' }),
  'storage.binding': ({ storage }) => storage.binding(),
  'storage.bind': ({ storage }) => storage.bind({} as never),
  'storage.unbind': ({ storage }) => storage.unbind(),
  'storage.verify': ({ storage }) => storage.verify(),
  'storage.usage': ({ storage }) => storage.usage(),
  'styleGuides.list': ({ styleGuides }) => styleGuides.list(),
  'styleGuides.get': ({ styleGuides }) => styleGuides.get('de'),
  'styleGuides.save': ({ styleGuides }) => styleGuides.save({ target_lang: 'de', version: null }),
  'styleGuides.delete': ({ styleGuides }) => styleGuides.delete({ target_lang: 'de', version: 'a' }),
  'system.health': ({ system }) => system.health(),
  'tenants.create': ({ tenants }) => tenants.create({ name: 'a' }),
  'tenants.list': ({ tenants }) => tenants.list().toArray({ limit: 1 }),
  'tenants.listPage': ({ tenants }) => tenants.listPage(),
  'tenants.setSecurityPolicy': ({ tenants }) => tenants.setSecurityPolicy({}),
  'tenants.rotateKey': ({ tenants }) => tenants.rotateKey({}),
  'tenants.invites.create': ({ tenants }) => tenants.invites.create(),
  'tenants.invites.list': ({ tenants }) => tenants.invites.list().toArray({ limit: 1 }),
  'tenants.invites.listPage': ({ tenants }) => tenants.invites.listPage(),
  'tenants.invites.withdraw': ({ tenants }) => tenants.invites.withdraw('a'),
  'terminology.upload': ({ terminology }) => terminology.upload(terms, { name: 'a' }),
  'terminology.create': ({ terminology }) =>
    terminology.create({ name: 'a', source_lang: 'en', target_lang: 'fr' }),
  'terminology.list': ({ terminology }) => terminology.list(),
  'terminology.exportTbx': ({ terminology }) => terminology.exportTbx('a'),
  'terminology.exportXlsx': ({ terminology }) => terminology.exportXlsx('a'),
  'terminology.exportCsv': ({ terminology }) => terminology.exportCsv('a'),
  'terminology.sets': ({ terminology }) => terminology.sets().toArray({ limit: 1 }),
  'terminology.setPage': ({ terminology }) => terminology.setPage(),
  'terminology.delete': ({ terminology }) => terminology.delete('a'),
  'terminology.entries': ({ terminology }) => terminology.entries({ set_id: 'a' }).toArray({ limit: 1 }),
  'terminology.entryPage': ({ terminology }) => terminology.entryPage({ set_id: 'a' }),
  'terminology.addEntry': ({ terminology }) => terminology.addEntry({} as never),
  'terminology.candidates': ({ terminology }) => terminology.candidates({} as never),
  'terminology.rejectCandidates': ({ terminology }) => terminology.rejectCandidates({} as never),
  'terminology.matches': ({ terminology }) => terminology.matches({} as never),
  'terminology.pairs': ({ terminology }) => terminology.pairs('a'),
  'terminology.rename': ({ terminology }) => terminology.rename('a', 'b'),
  'terminology.previewUpload': ({ terminology }) => terminology.previewUpload(file, { name: 'a' }),
  'terminology.applyPreview': ({ terminology }) =>
    terminology.applyPreview(file, { name: 'a', revision: null }),
  'translations.create': ({ translations }) => translations.create({ source_text: 'a', target_lang: 'fr' }),
  'translations.createBatch': ({ translations }) => translations.createBatch({ inputs: [] }),
  'translations.createFromText': ({ translations }) =>
    translations.createFromText({ source_text: 'a', target_lang: 'fr' } as never),
  'translations.createFromFile': ({ translations }) =>
    translations.createFromFile(file, { target_lang: 'fr' }),
  'translations.submit': ({ translations }) => translations.submit({ source_text: 'a', target_lang: 'fr' }),
  'translations.submitBatch': ({ translations }) => translations.submitBatch({ inputs: [] }),
  'translations.estimate': ({ translations }) =>
    translations.estimate({ source_text: 'a', target_lang: 'fr' }),
  'translations.estimateFile': ({ translations }) => translations.estimateFile(file, { target_lang: 'fr' }),
  'translations.get': ({ translations }) => translations.get('a'),
  'translations.waitFor': ({ translations }) => translations.waitFor('a'),
  'translations.list': ({ translations }) => translations.list().toArray({ limit: 1 }),
  'translations.listPage': ({ translations }) => translations.listPage(),
  'translations.review': ({ translations }) => translations.review('a', { action: 'approve' }),
  'translations.exportXliff': ({ translations }) => translations.exportXliff(),
  'translations.reviewXliff': ({ translations }) => translations.reviewXliff('a', '<xliff/>'),
  'translations.golden': ({ translations }) => translations.golden('a'),
  'translations.delete': ({ translations }) => translations.delete('a'),
  'translations.search': ({ translations }) => translations.search().toArray({ limit: 1 }),
  'translations.searchPage': ({ translations }) => translations.searchPage(),
  'translations.counts': ({ translations }) => translations.counts(),
  'translations.check': ({ translations }) => translations.check({ job_id: 'a', text: 'a' }),
  'translations.act': ({ translations }) => translations.act({} as never),
  'translations.resolve': ({ translations }) => translations.resolve({} as never),
  'translations.recheck': ({ translations }) => translations.recheck({} as never),
  'translations.reviewMany': ({ translations }) => translations.reviewMany({ reviews: [] }),
  'usage.daily': ({ usage }) => usage.daily(),
  'usage.summary': ({ usage }) => usage.summary('a'),
  'usage.records': ({ usage }) => usage.records('a')[Symbol.asyncIterator]().next(),
  'usage.export': ({ usage }) => usage.export('a'),
};

/** Only the payment processor calls this route. */
const forStripe = '/api/stripe/webhook';

/** These methods send no request: they pass tokens to the store. */
const silent = ['auth.begin'];

const refused = () => Response.json({}, { status: 418 });

/** Calls a method as a signed-in member, with at most one retry. Returns its result or the error that it throws. */
async function outcomeOf(call: (client: LinguaLoop) => unknown, fetch: Fetch): Promise<unknown> {
  const tokens = { access_token: 'a', refresh_token: 'a', expires_in: 9e9, expires_at: 9e15 };
  const client = new LinguaLoop({
    baseUrl: 'http://127.0.0.1:1',
    maxRetries: 1,
    backoff: { firstMs: 1, maxMs: 1 },
    tokens: {
      load: () => ({ ...tokens, user: { user_id: 'u', tenant_id: 't' } }) as never,
      save: () => {},
    },
    fetch,
  });
  return (async () => call(client))().catch((thrown: unknown) => thrown);
}

test('every method is called here', () => {
  const methodsOf = (part: object, name: string): string[] =>
    Object.entries(part).flatMap(([member, value]) =>
      typeof value === 'function' ? [`${name}.${member}`] : methodsOf(value, `${name}.${member}`),
    );
  const { request: _, ...parts } = new LinguaLoop({ baseUrl: 'http://127.0.0.1:1' });
  const methods = Object.entries(parts).flatMap(([name, part]) => methodsOf(part, name));
  expect([...Object.keys(calls), ...silent].sort()).toEqual(methods.sort());
});

test('every operation of the API and every procedure without a route is asked by a method, and nothing else is', async () => {
  const asked = new Set<string>();
  for (const call of Object.values(calls)) {
    await outcomeOf(call, async (url, { method }) => {
      asked.add(`${method} ${new URL(url).pathname}`);
      // Before an import of a TM sends the file, it requests the list of imports.
      return url.endsWith('/api/tm/imports') ? Response.json([]) : refused();
    });
  }
  const pattern = (route: string) => route.replaceAll(/\{provider\}/g, 'oidc').replaceAll(/\{\w+\}/g, '[at]');
  const routes = proceduresOf(appRouter).flatMap(([, { meta }]) =>
    meta?.route && meta.route.path !== forStripe
      ? [new RegExp(`^${meta.route.method} ${pattern(meta.route.path)}$`)]
      : [],
  );
  const withoutMethod = routes.filter((route) => ![...asked].some((one) => route.test(one)));
  expect(withoutMethod.map(String)).toEqual([]);
  const rest = [...asked].filter((one) => !routes.some((route) => route.test(one)));
  const procedures = rest.map((one) => one.replace(/^(GET|POST) \/trpc\//, ''));
  expect([...procedures, ...forBrowsers].sort()).toEqual([...withoutRoute].sort());
});

/**
 * These calls are not retried. If the response is lost, the service may have completed the call: a second request would
 * repeat the effect, or would find nothing to do.
 */
const notSentAgain = namesOf({
  analyses: 'create removeFile delete',
  apiKeys: 'create update rotate',
  assignments: 'assign pass',
  auth: 'signUp signIn token verifyMfa confirmMfa regenerateRecoveryCodes resetPassword sso.complete',
  billing: 'topUp',
  documents: 'review delete resolve confirmAll',
  members: 'createPasswordResetLink',
  memory: 'delete deleteFound replace mergeDuplicates undo',
  quality: 'draw',
  reviews: 'reopen',
  styleGuides: 'save delete',
  tenants: 'create rotateKey invites.create invites.withdraw',
  terminology: 'delete addEntry',
  translations: 'review reviewXliff delete act resolve recheck reviewMany',
});

test('after a lost response every call is sent again, except those that would do their work twice', async () => {
  const once: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    let sent = 0;
    await outcomeOf(call, async (url) => {
      if (name === 'memory.importTmx' && url.endsWith('/api/tm/imports')) return Response.json([]);
      sent += 1;
      if (sent === 1) throw new TypeError('fetch failed', { cause: new Error('the connection broke') });
      return refused();
    });
    if (sent === 1) once.push(name);
  }
  expect(once).toEqual(notSentAgain);
});

test.each([
  ['JSON of another service', () => Response.json({ ok: true })],
  [
    'a page of a portal',
    () => new Response('<p>Please sign in</p>', { headers: { 'content-type': 'text/html' } }),
  ],
])('a success that is not the service’s is an error of every call: %s', async (_, answer) => {
  const accepted: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const outcome = await outcomeOf(call, async () => answer());
    const isError = outcome instanceof LinguaLoopError && outcome.answeredBy === 'other';
    if (!isError) accepted.push(name);
  }
  expect(accepted).toEqual([]);
});
