import { beforeAll, describe, expect, test } from 'vitest';
import type { GuardName, Scope } from '#server/context.ts';
import { scopes } from '#server/identity/access/scopes.ts';
import { addKey, apiKey, type Headers } from '#test/factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { inShort, transportsOf, verdictOf } from './guards/callers.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { procedures } from './procedures.ts';

/** The scopes that allow each procedure that accepts API keys. No other procedure accepts one. */
const scopesOf: Readonly<Record<string, readonly Scope[]>> = {
  'billing.checkout': ['admin'],
  'billing.topup': ['admin'],
  'billing.portal': ['admin'],
  'billing.coverage': ['read'],
  'billing.prices': ['read'],

  'translations.create': ['translate'],
  'translations.createBatch': ['translate'],
  'translations.createFromText': ['translate'],
  'translations.createFromFile': ['translate'],
  'translations.get': ['read', 'translate'],
  'translations.golden': ['read', 'translate'],
  'translations.list': ['read'],
  'translations.search': ['read'],
  'translations.counts': ['read'],
  'translations.exportXliff': ['read'],
  'translations.review': ['review'],
  'translations.reviewXliff': ['review'],
  'translations.check': ['review'],
  'translations.act': ['review'],
  'translations.reviewMany': ['review'],
  'translations.resolve': ['review'],
  'translations.recheck': ['review'],

  'events.list': ['read'],
  'events.subscribe': ['read'],

  'documents.translate': ['translate'],
  'documents.get': ['read', 'translate'],
  'documents.artifacts': ['read', 'translate'],
  'documents.download': ['read', 'translate'],
  'documents.progress': ['read', 'translate'],
  'documents.list': ['read'],
  'documents.summary': ['read'],
  'documents.segments': ['read'],
  'documents.files': ['read'],
  'documents.outline': ['read'],
  'documents.search': ['read'],
  'documents.boxes': ['read'],
  'documents.history': ['read'],
  'documents.exportXliff': ['read'],
  'documents.review': ['review'],
  'documents.reviewXliff': ['review'],
  'documents.approve': ['review'],
  'documents.approveMany': ['review'],
  'documents.correct': ['review'],
  'documents.check': ['review'],
  'documents.confirm': ['review'],
  'documents.confirmAll': ['review'],
  'documents.recheck': ['review'],
  'documents.resolve': ['review'],
  'documents.save': ['review'],
  'documents.undo': ['review'],
  'documents.redo': ['review'],
  'documents.render': ['review'],

  'storage.binding': ['read'],
  'storage.usage': ['read'],
  'storage.bind': ['admin'],
  'storage.unbind': ['admin'],
  'storage.verify': ['admin'],

  'styleGuides.list': ['read'],
  'styleGuides.get': ['read'],
  'styleGuides.save': ['admin'],
  'styleGuides.delete': ['admin'],

  'terminology.list': ['read'],
  'terminology.exportTbx': ['read'],
  'terminology.exportXlsx': ['read'],
  'terminology.entries': ['read'],
  'terminology.terms': ['read'],
  'terminology.pairs': ['read'],
  'terminology.matches': ['read'],
  'terminology.matchesOfTexts': ['read'],
  'terminology.upload': ['admin'],
  'terminology.create': ['admin'],
  'terminology.delete': ['admin'],
  'terminology.addEntry': ['admin'],
  'terminology.rename': ['admin'],
  'terminology.addTerm': ['admin'],
  'terminology.updateTerm': ['admin'],
  'terminology.deleteTerm': ['admin'],
  'terminology.previewUpload': ['admin'],
  'terminology.applyPreview': ['admin'],

  'memory.list': ['read'],
  'memory.listImports': ['read'],
  'memory.getImport': ['read'],
  'memory.export': ['read'],
  'memory.exportGolden': ['read'],
  'memory.browse': ['read'],
  'memory.concordance': ['read'],
  'memory.matches': ['read'],
  'memory.import': ['admin'],
  'memory.delete': ['admin'],
};

const fixture = useGuardFixture();
const sellingFixture = useGuardFixture(selling);
const fixtureOf = (path: string) => (path.startsWith('billing.') ? sellingFixture : fixture);

/** For each deployment, the headers of a key that has only this scope. */
const keys = new Map<object, Record<Scope, Headers>>();
beforeAll(async () => {
  for (const at of [fixture, sellingFixture]) {
    const ofScope = scopes.map(async (scope) => {
      const { api_key } = await addKey(at.app, at.founder, { scopes: [scope] });
      return [scope, apiKey(api_key)];
    });
    keys.set(at, Object.fromEntries(await Promise.all(ofScope)));
  }
});

test('every procedure that accepts API keys, and no other, declares the stated scopes', () => {
  const declared = procedures.flatMap(({ path, scopes: allowing }) => (allowing ? [[path, allowing]] : []));
  expect(Object.fromEntries(declared)).toEqual(scopesOf);
  const accepting = procedures.filter(({ guard }) => guard && verdictOf(guard, 'tenant key') === 'in');
  const guarded = accepting.filter(({ guard }) => guard !== 'public').map(({ path }) => path);
  expect(guarded.toSorted()).toEqual(Object.keys(scopesOf).toSorted());
});

const guarded = procedures.filter(({ guard }) => guard !== 'public');

describe.each(guarded.map((procedure) => [procedure.path, procedure] as const))(
  '%s',
  { timeout: 90_000 },
  (path, procedure) => {
    const allowing = scopesOf[path];
    test.each(transportsOf(procedure))(
      `with a key of one scope: ${allowing?.join(' or ') ?? 'none'} is allowed: %s`,
      async (transport) => {
        const at = fixtureOf(path);
        const probe = probes[path] ?? {};
        const call = transport === 'REST' ? viaRest : viaRpc;
        const success = transport === '/trpc' && probe.in === '204' ? '200' : (probe.in ?? '200');
        const denied = allowing
          ? `403 this API key lacks the scope ${allowing.join(' or ')}`
          : verdictOf(procedure.guard as GuardName, 'tenant key');
        const responses: Record<string, string> = {};
        const expected: Record<string, string> = {};
        for (const scope of scopes) {
          const input = (await probe.input?.(at)) ?? {};
          const headers = (keys.get(at) as Record<Scope, Headers>)[scope];
          responses[scope] = inShort(await call(at.app, procedure, { input, headers }));
          await probe.restore?.(at);
          expected[scope] = allowing?.includes(scope) ? success : denied;
        }
        expect(responses).toEqual(expected);
      },
    );
  },
);
