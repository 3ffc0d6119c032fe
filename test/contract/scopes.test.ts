import { beforeAll, describe, expect, test } from 'vitest';
import type { GuardName, Scope } from '#server/context.ts';
import { scopes } from '#server/identity/access/scopes.ts';
import { addKey, apiKey, type Headers } from '#test/factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { inShort, transportsOf, verdictOf } from './guards/callers.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { namesOf, procedures } from './procedures.ts';

/** The procedures that accept API keys, by the scopes of which a key needs one, and by their domains. */
const byScopes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  admin: {
    billing: 'checkout topup portal',
    engines: 'get save remove test',
    storage: 'bind unbind verify',
    segmentation: 'get save delete',
    textRules: 'get save try',
    tenants: 'general saveGeneral',
    styleGuides: 'save delete',
    terminology:
      'upload create delete addEntry rename addTerm updateTerm deleteTerm previewUpload applyPreview rejectCandidates',
    memory:
      'import delete align addPairs importPairs updateUnit deleteUnits deleteFound replace mergeDuplicates undo setPenalty',
  },
  read: {
    billing: 'coverage prices',
    translations: 'list search counts exportXliff',
    events: 'list subscribe',
    documents: 'list summary segments files outline search boxes history exportXliff',
    storage: 'binding usage',
    styleGuides: 'list get',
    terminology: 'list exportTbx exportXlsx exportCsv entries terms pairs matches matchesOfTexts candidates',
    memory:
      'list listImports getImport export exportCsv exportGolden browse concordance problems matches countFound previewReplace duplicates otherTranslations changes penalties',
  },
  translate: {
    analyses: 'create addFile removeFile setVersion start cancel delete',
    translations: 'create createBatch createFromText createFromFile',
    documents: 'translate',
  },
  'read translate': {
    analyses: 'get list exportXlsx',
    translations: 'get golden',
    documents: 'get artifacts download progress',
  },
  review: {
    translations: 'review reviewXliff check act reviewMany resolve recheck',
    documents:
      'review reviewXliff approve approveMany correct check confirm confirmAll recheck resolve save undo redo render',
  },
};
const scopesOf: Readonly<Record<string, readonly Scope[]>> = Object.fromEntries(
  Object.entries(byScopes).flatMap(([allowing, names]) =>
    namesOf(names).map((name) => [name, allowing.split(' ') as Scope[]]),
  ),
);

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
