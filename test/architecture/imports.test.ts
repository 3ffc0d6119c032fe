import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycles, refusals, sources } from './check-imports.ts';
import { importsOf, refusal } from './modules.ts';
import { modulesOf, readSourceFiles } from './structure.ts';

const root = join(import.meta.dirname, '../..');

test('every import follows the module rules (decision 5)', () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(refusals()).toEqual([]);
});

test('no files import each other in a cycle, types included', () => {
  expect(cycles()).toEqual([]);
  const imports: Record<string, string[]> = { a: ['b'], b: ['c', 'npm:zod'], c: ['b'], d: ['a', 'd'] };
  expect(cycles(Object.keys(imports), (file) => imports[file] ?? [])).toEqual([['b', 'c']]);
});

test('no folders of modules import each other in a circle, and no import runs upward', () => {
  const { circles, upward, dependencies } = modulesOf(readSourceFiles());
  expect(dependencies.size).toBeGreaterThan(20);
  expect({ circles, upward }).toEqual({ circles: [], upward: [] });
  const both = modulesOf([
    { path: 'server/http/a.ts', imports: ['server/identity/access/b.ts'] },
    { path: 'server/identity/access/b.ts', imports: ['server/http/a.ts'] },
  ]);
  expect(both.circles).toEqual([['server/http', 'server/identity']]);
  expect(both.upward).toEqual(['server/http/a.ts -> server/identity/access/b.ts']);
});

describe('forbidden imports are rejected', () => {
  test.each([
    ["another domain's queries", 'server/identity/auth/x.ts', '#server/identity/members/invite-queries.ts'],
    [
      "another domain's queries, by a relative path",
      'server/identity/auth/x.ts',
      '../members/invite-queries.ts',
    ],
    [
      "another domain's queries, from three folders deep",
      'server/identity/auth/mfa/totp/x.ts',
      '../../../members/invite-queries.ts',
    ],
    ["another domain's router", 'server/identity/auth/x.ts', '#server/identity/members/router.ts'],
    [
      "a file in another domain's subfolder",
      'server/texts/x.ts',
      '#server/language/translation-memory/lookup/posting-lists.ts',
    ],
    ['translation, from billing', 'server/billing/metering/x.ts', '#server/texts/jobs.ts'],
    ['texts, from documents', 'server/documents/x.ts', '#server/texts/jobs.ts'],
    ['jobs, from the core', 'server/translation/x.ts', '#server/documents/jobs.ts'],
    ['review, from texts', 'server/texts/x.ts', '#server/review/claims.ts'],
    ["another domain's schema", 'server/identity/tenants/x.ts', '#db/schema/identity.ts'],
    ['a transport, from a domain', 'server/identity/tenants/x.ts', '#rest/errors.ts'],
    ['fastify, from a domain', 'server/identity/tenants/x.ts', 'fastify'],
    ['the pool, from a domain', 'server/identity/tenants/x.ts', '#db/pool.ts'],
    ['a domain, from what every procedure uses', 'server/http/x.ts', '../identity/access/principal.ts'],
    ['a domain, from the platform', 'server/platform/x.ts', '../storage/bindings.ts'],
    ['the server, from a format', 'server/formats/html/x.ts', '../../errors.ts'],
    ['the network, from a format', 'server/formats/html/x.ts', 'node:https'],
    ['a domain, from an engine', 'server/platform/engines/x.ts', '#server/billing/metering/entitlement.ts'],
    ['the database, from an engine', 'server/platform/engines/x.ts', '#db/client.ts'],
    ['a store, from a file reader', 'server/platform/sandbox/x.ts', '../stores/blob-store.ts'],
    ['the server, from the database', 'db/x.ts', '../server/errors.ts'],
    ['a domain, from the REST transport', 'rest/x.ts', '../server/billing/metering/entitlement.ts'],
    ['the database, from the REST transport', 'rest/x.ts', '#db/client.ts'],
    [
      "a domain's inside, from a worker",
      'workers/x.ts',
      '#server/language/translation-memory/lookup/grams.ts',
    ],
    ['a table, from a worker', 'workers/x.ts', '#db/schema/identity.ts'],
    [
      "a domain's inside, from an operator's command",
      'server/commands/admin/x.ts',
      '#server/identity/members/invite-queries.ts',
    ],
    ["a domain's inside, from the application", 'server/app.ts', './identity/auth/mfa/totp.ts'],
    ['the server, from the SDK', 'sdk/src/x.ts', '../../server/errors.ts'],
    ['anything, from a module that is not in the table', 'server/unheard-of/x.ts', 'zod'],
  ])('%s', (_what, file, specifier) => {
    for (const statement of [
      `import { x } from '${specifier}';`,
      `const x = await import('${specifier}');`,
    ]) {
      const [found] = importsOf(root, file, statement);
      expect(found && refusal(found)).toBeDefined();
    }
  });

  test('the SDK imports the types of the routers, never their code; only the languages are data', () => {
    const statements = sources
      .filter((file) => file.startsWith('sdk/src/'))
      .flatMap((file) => readFileSync(join(root, file), 'utf8').match(/^import .*server\/.*$/gm) ?? [])
      .filter((line) => !/@trpc\/server|server\/languages\.ts/.test(line));
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(statement).toMatch(/^import type /);
  });
});
