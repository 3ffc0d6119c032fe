import { describe, expect, test } from 'vitest';
import { carriesFiles } from '#server/trpc.ts';
import { type Answer, normalize, viaRest, viaRestRaw, viaRpc } from './call.ts';
import { auditCases } from './cases/audit.ts';
import { mfaCases } from './cases/auth/mfa.ts';
import { signInCases } from './cases/auth/sign-in.ts';
import { ssoCases } from './cases/auth/sso.ts';
import { tokenCases } from './cases/auth/tokens.ts';
import { billingCases } from './cases/billing.ts';
import type { Case, Cases } from './cases/case.ts';
import { documentCases } from './cases/documents.ts';
import { documentWorkplaceCases } from './cases/documents-workplace.ts';
import { memberCases } from './cases/members.ts';
import { memoryCases } from './cases/memory.ts';
import { reviewingCases } from './cases/reviewing.ts';
import { storageCases } from './cases/storage.ts';
import { tenantCases } from './cases/tenants.ts';
import { terminologyCases } from './cases/terminology.ts';
import { translationCases } from './cases/translations.ts';
import { usageCases } from './cases/usage.ts';
import { selling, useContractFixture } from './fixture.ts';
import { type Procedure, procedures } from './procedures.ts';
import { withoutRoute } from './without-route.ts';

const systemCases: Cases = {
  'system.health': [{ name: 'is alive', status: 200 }],
};

const authCases: Cases = { ...signInCases, ...tokenCases, ...mfaCases, ...ssoCases };

/** The cases of each procedure, over REST and /trpc, or over /trpc alone if it has no route. A procedure without cases fails the suite. */
const cases: Cases = {
  ...auditCases,
  ...authCases,
  ...billingCases,
  ...documentCases,
  ...documentWorkplaceCases,
  ...memberCases,
  ...memoryCases,
  ...reviewingCases,
  ...systemCases,
  ...tenantCases,
  ...storageCases,
  ...terminologyCases,
  ...translationCases,
  ...usageCases,
};

const plainFixture = useContractFixture();
const sellingFixture = useContractFixture(selling);

test('every procedure has a guard, an output schema, cases here, and a route unless it is named as one without', () => {
  const unrouted = procedures.filter(({ route }) => !route).map(({ path }) => path);
  expect(unrouted.sort()).toEqual(withoutRoute.toSorted());
  expect(Object.keys(cases).sort()).toEqual(procedures.map(({ path }) => path).sort());
  for (const { path, guard, hasOutput } of procedures) {
    expect(guard, path).toBeDefined();
    expect(hasOutput, path).toBe(true);
  }
});

for (const procedure of procedures)
  describe(procedure.path, () => {
    // Billing procedures are called on the deployment with billing.
    const fixture = procedure.path.startsWith('billing.') ? sellingFixture : plainFixture;
    for (const one of cases[procedure.path] ?? []) {
      const { status, detail, ask, rpc: byDesign, raw } = one;
      const expectStated = (answer: Answer) => {
        expect(answer.status, JSON.stringify(answer.body)).toBe(status);
        if (detail !== undefined) expect(answer.body.detail).toBe(detail);
      };
      const asked = async () => (await ask?.(fixture)) ?? {};

      test(title(one, procedure), async () => {
        if (!procedure.route) return expectStated(await viaRpc(fixture.app, procedure, await asked()));
        const first = await asked();
        if (raw) return expectStated(await viaRestRaw(fixture.app, procedure, raw, first.headers));
        const rest = await viaRest(fixture.app, procedure, first);
        expectStated(rest);
        const rpc = await viaRpc(fixture.app, procedure, await asked());
        // Only REST takes files.
        if (carriesFiles(procedure.route)) expect(rpc.status).toBe(404);
        else if (byDesign) {
          expect(rpc.status, JSON.stringify(rpc.body)).toBe(byDesign.status);
          expect(rpc.body).toEqual(byDesign.body);
        } else expect(normalize(rpc)).toEqual(normalize(rest));
      });
    }
  });

function title({ name, status, rpc, raw }: Case, { route }: Procedure): string {
  if (!route) return `returns ${status} over /trpc: ${name}`;
  if (raw) return `returns ${status} over REST: ${name}`;
  if (rpc) return `answers ${status}, and ${rpc.status} at /trpc: ${name} (${rpc.because})`;
  return `returns ${status}, the same over both transports: ${name}`;
}
