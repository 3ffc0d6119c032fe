import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import type { ClientsDocument } from '#rest/openapi/security.ts';
import type { GuardName } from '#server/context.ts';
import { useTestApp } from '#test/setup/app.ts';
import { type Kind, verdictOf } from './guards/callers.ts';
import { procedures } from './procedures.ts';

const app = useTestApp();
let plain: OpenApiDocument;
let clients: ClientsDocument;
beforeAll(async () => {
  plain = (await app.json('GET', '/openapi.json')).body;
  clients = (await app.json('GET', '/openapi.clients.json')).body;
});

/** For each security scheme, a caller who has only the credential of this scheme. */
const presents: Readonly<Record<string, Kind>> = {
  apiKey: 'tenant key',
  bearer: 'administrator',
  operatorKey: 'operator key',
  session: 'administrator’s cookie',
};

/** Whether the guard accepts the credential. It may still deny access with 403. */
const withoutProcedures = (paths: object) =>
  Object.fromEntries(Object.entries(paths).filter(([path]) => !path.startsWith('/trpc/')));

const isKnown = (guard: GuardName, kind: Kind) => !verdictOf(guard, kind).startsWith('401');

describe('the document of clients', () => {
  test.each(
    procedures.filter(({ route }) => route).map(({ path, guard, route }) => [path, guard, route] as const),
  )('%s asks for the credentials that its guard %s accepts, and for no other', (_path, guard, route) => {
    const operation = clients.paths[route!.path]?.[route!.method.toLowerCase() as 'get'];
    const listed = operation?.security.flatMap((one) => Object.keys(one));
    const isPublic = isKnown(guard!, 'nothing');
    const accepted = isPublic
      ? []
      : Object.keys(presents).filter((scheme) => isKnown(guard!, presents[scheme]!));
    expect(listed?.sort()).toEqual(accepted.sort());
    // A challenge is in the body, so a request with a challenge needs no security scheme.
    const goesWithout = operation?.security.some((one) => Object.keys(one).length === 0);
    expect(goesWithout).toBe(guard === 'challenge_or_cookie');
  });

  test('is the other document, with security, titles and a shorter introduction', async () => {
    const { securitySchemes, ...components } = clients.components;
    expect(Object.keys(securitySchemes).sort()).toEqual(Object.keys(presents).sort());
    const { RpcError: _, ...schemas } = components.schemas;
    const former = {
      ...{ ...clients, components: { ...components, schemas }, info: plain.info },
      tags: clients.tags.filter(({ name }) => name !== 'Procedures'),
      paths: withoutProcedures(clients.paths),
    };
    const stripped = JSON.parse(JSON.stringify(former), (key, value) =>
      key === 'security' || (key === 'title' && value !== 'LinguaLoop') ? undefined : value,
    );
    expect(stripped).toEqual(plain);
    expect(await new Validator().validate(JSON.parse(JSON.stringify(clients)))).toEqual({ valid: true });
    await SwaggerParser.validate(JSON.parse(JSON.stringify(clients)));
  });

  test('has the procedures for keys, events, style guides and reviews, with the fitting schemas', async () => {
    const { accessToken } = await app.signUp();
    const headers = { authorization: `Bearer ${accessToken}` };
    const listed = Object.entries(clients.paths).filter(([path]) => path.startsWith('/trpc/'));
    expect(listed.length).toBeGreaterThan(30);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(clients, 'document');
    for (const [path, { post, ...others }] of listed) {
      expect(Object.keys(others)).toEqual([]);
      const { guard } = procedures.find((one) => path.endsWith(`/${one.path}`))!;
      const accepted = Object.keys(presents).filter(
        (scheme) => scheme !== 'session' && isKnown(guard!, presents[scheme]!),
      );
      expect([path, post!.security.flatMap((one) => Object.keys(one)).sort()]).toEqual([
        path,
        accepted.sort(),
      ]);
      const { status, body } = await app.json('POST', path, { headers, body: {} });
      const { schema } = post!.responses[status === 200 ? 200 : 'default']!.content!['application/json']!;
      const own = JSON.stringify(schema).replaceAll('"#/', '"document#/');
      expect([path, status, ajv.validate(JSON.parse(own), body), ajv.errorsText()]).toEqual([
        ...[path, status === 200 ? 200 : 422, true, 'No errors'],
      ]);
    }
  });

  test('names each type that is written out, once, and no type ends with a number', () => {
    const names = Object.keys(clients.components.schemas);
    JSON.stringify({ ...clients, info: {} }, (key, value) => {
      if (key === 'example' || key === 'examples') return undefined;
      if (typeof value?.title === 'string') names.push(value.title);
      return value;
    });
    expect(names.length).toBeGreaterThan(150);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    // Only the names of error responses end with a number: their status.
    expect(names.filter((name) => /\d$/.test(name) && !/Response4\d\d$/.test(name))).toEqual([]);
  });
});
