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
import type { ContractFixture } from './fixture.ts';
import { type Procedure, procedures } from './procedures.ts';

const systemCases: Cases = {
  'system.health': [{ name: 'is alive', status: 200 }],
};

const authCases: Cases = { ...signInCases, ...tokenCases, ...mfaCases, ...ssoCases };

/** The cases of each procedure, over REST and /trpc, or over /trpc alone if it has no route. A procedure without cases fails the suite. */
export const cases: Cases = {
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

/**
 * Declares a test for each case, which calls the procedure over both transports.
 * @param plain a deployment
 * @param billing one with billing: billing procedures are called there
 * @param workers whether workers run in them
 */
export function testTransports(
  plain: ContractFixture,
  billing: ContractFixture,
  { workers = false } = {},
): void {
  for (const procedure of procedures)
    describe(procedure.path, () => {
      const fixture = procedure.path.startsWith('billing.') ? billing : plain;
      for (const one of cases[procedure.path] ?? []) {
        if (workers && one.withoutWorkers) continue;
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
}

function title({ name, status, rpc, raw }: Case, { route }: Procedure): string {
  if (!route) return `returns ${status} over /trpc: ${name}`;
  if (raw) return `returns ${status} over REST: ${name}`;
  if (rpc) return `answers ${status}, and ${rpc.status} at /trpc: ${name} (${rpc.because})`;
  return `returns ${status}, the same over both transports: ${name}`;
}
