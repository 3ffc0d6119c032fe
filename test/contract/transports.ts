import { describe, expect, test } from 'vitest';
import type { GuardName } from '#server/context.ts';
import { carriesFiles } from '#server/trpc.ts';
import type { Headers } from '#test/factories.ts';
import { type Answer, normalize, viaRest, viaRestRaw, viaRpc } from './call.ts';
import { mfaCases } from './cases/auth/mfa.ts';
import { signInCases } from './cases/auth/sign-in.ts';
import { ssoCases } from './cases/auth/sso.ts';
import { tokenCases } from './cases/auth/tokens.ts';
import { billingCases } from './cases/billing.ts';
import { type Case, type Cases, noContent } from './cases/case.ts';
import { documentCases } from './cases/documents.ts';
import { storageCases } from './cases/storage.ts';
import { translationCases } from './cases/translations.ts';
import { uploadCases } from './cases/uploads.ts';
import type { GuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { type DefinedProcedure, type Procedure, procedures } from './procedures.ts';

const cases: Cases = {
  ...signInCases,
  ...tokenCases,
  ...mfaCases,
  ...ssoCases,
  ...billingCases,
  ...documentCases,
  ...storageCases,
  ...translationCases,
  ...uploadCases,
};

/** Procedures whose responses change while workers run. */
const changedByWorkers = new Set([
  'documents.delete',
  'documents.list',
  'documents.progress',
  'documents.summary',
  'memory.getImport',
  'memory.listImports',
  'translations.counts',
]);

/** The headers of a caller whom the guard admits. Procedures with any other guard have their own cases. */
const admitted: Partial<Record<GuardName, (fixture: GuardFixture) => Headers>> = {
  tenant_identity: ({ founder }) => founder.key,
  tenant_identity_or_cookie: ({ founder }) => founder.key,
  tenant_admin: ({ founder }) => founder.bearer,
  admin: ({ founder }) => founder.bearer,
  platform_operator: ({ operator }) => operator.key,
  bearer: ({ founder }) => founder.bearer,
  administrator_session: ({ founder }) => founder.bearer,
};

/** The cases of a procedure. If no case succeeds, the valid request of the guards' tests is added as the first case. */
function casesOf({ path, guard }: DefinedProcedure): readonly Case[] {
  const own = cases[path] ?? [];
  if (own.some(({ status }) => status < 300)) return own;
  const { input, in: outcome = '200' } = probes[path] ?? {};
  const probe: Case = {
    name: 'a valid request',
    status: Number.parseInt(outcome, 10),
    ask: async (fixture) => ({
      input: (await input?.(fixture)) ?? {},
      headers: admitted[guard as GuardName]?.(fixture) ?? {},
    }),
    ...(outcome === '204' && { rpc: noContent }),
    ...(changedByWorkers.has(path) && { withoutWorkers: true as const }),
  };
  return [probe, ...own];
}

/**
 * Declares one test for each case. The test calls the procedure over both transports, or only over /trpc if the
 * procedure has no route.
 * @param plain a deployment without billing
 * @param billing a deployment with billing, on which billing procedures are called
 * @param workers whether workers run in these deployments
 */
export function testTransports(plain: GuardFixture, billing: GuardFixture, { workers = false } = {}): void {
  const tested = procedures.flatMap((procedure) => {
    const listed = casesOf(procedure).filter((one) => !workers || !one.withoutWorkers);
    return listed.length > 0 ? [[procedure.path, procedure, listed] as const] : [];
  });
  describe.each(tested)('%s', (path, procedure, listed) => {
    const fixture = path.startsWith('billing.') ? billing : plain;
    test.each(listed.map((one) => [title(one, procedure), one] as const))('%s', async (_, one) => {
      const { status, detail, ask, rpc: byDesign, raw } = one;
      const expectStated = (answer: Answer) => {
        expect(answer.status, JSON.stringify(answer.body)).toBe(status);
        if (detail !== undefined) expect(answer.body.detail).toBe(detail);
      };
      const asked = async () => (await ask?.(fixture)) ?? {};
      if (!procedure.route) return expectStated(await viaRpc(fixture.app, procedure, await asked()));
      const first = await asked();
      if (raw) return expectStated(await viaRestRaw(fixture.app, procedure, raw, first.headers));
      const rest = await viaRest(fixture.app, procedure, first);
      expectStated(rest);
      const rpc = await viaRpc(fixture.app, procedure, await asked());
      // Files are only accepted over REST.
      if (carriesFiles(procedure.route)) expect(rpc.status).toBe(404);
      else if (byDesign) {
        expect(rpc.status, JSON.stringify(rpc.body)).toBe(byDesign.status);
        expect(rpc.body).toEqual(byDesign.body);
      } else expect(normalize(rpc)).toEqual(normalize(rest));
    });
  });
}

function title({ name, status, rpc, raw }: Case, { route }: Procedure): string {
  if (!route) return `returns ${status} over /trpc: ${name}`;
  if (raw) return `returns ${status} over REST: ${name}`;
  if (rpc) return `returns ${status}, and ${rpc.status} over /trpc: ${name} (${rpc.because})`;
  return `returns ${status}, the same over both transports: ${name}`;
}
