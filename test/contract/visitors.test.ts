import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemoWorkspace } from '#server/demo/demo-workspace.ts';
import { visitCookie, visitorReads } from '#server/identity/access/visits.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { expectedOf, inShort, transportsOf } from './guards/callers.ts';
import { useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { procedures } from './procedures.ts';

const fixture = useGuardFixture({ DEMO_WORKSPACE: 'true' });
/** Billing procedures are tested on a deployment with billing. */
const seller = useGuardFixture({ DEMO_WORKSPACE: 'true', ...selling });

let visitor: { cookie: string };
beforeAll(async () => {
  for (const { app } of [fixture, seller]) await makeDemoWorkspace(app.services);
  visitor = { cookie: visitCookie(fixture.app.services).split(';')[0] as string };
});

/** The procedures that the cookie must not open. Public ones ignore all credentials. */
const closed = procedures.filter(({ path, guard }) => guard !== 'public' && !visitorReads.has(path));

describe('the cookie of a visitor does not open what is missing on the list', () => {
  test('which has only queries', () => {
    const types = Object.fromEntries(procedures.map(({ path, type }) => [path, type]));
    for (const path of visitorReads)
      if (path !== 'documents.artifact') expect([path, types[path]]).toEqual([path, 'query']);
    expect(closed.length).toBeGreaterThan(100);
  });

  test.each(closed.map((procedure) => [procedure.path, procedure] as const))(
    '%s',
    async (path, procedure) => {
      const at = path.startsWith('billing.') ? seller : fixture;
      const probe = probes[path] ?? {};
      for (const transport of transportsOf(procedure)) {
        const input = (await probe.input?.(at)) ?? {};
        const call = transport === 'REST' ? viaRest : viaRpc;
        const { nobody } = expectedOf(procedure.guard!, probe, transport);
        expect(nobody).toMatch(/^4/);
        expect(inShort(await call(at.app, procedure, { input, headers: visitor }))).toBe(nobody);
      }
    },
  );

  test('the export of a workspace', async () => {
    const { status } = await fixture.app.request(`/app/exports/${'f'.repeat(32)}`, { headers: visitor });
    expect(status).toBe(401);
  });
});
