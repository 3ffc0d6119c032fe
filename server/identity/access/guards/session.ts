import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { procedure } from '#server/trpc.ts';
import {
  accessTokenHashes,
  readPrincipal,
  requireAdministrator,
  type SessionPrincipal,
  type VisitorPrincipal,
} from '../principal.ts';
import { requireProof } from '../proof.ts';
import { visitOf } from './visitor.ts';

/**
 * Opens a transaction as the member whose session cookie the request has. A bearer token is not accepted.
 * @throws AppError 401
 */
export async function withSessionCookie<T>(
  { credentials, notes, services }: RequestContext,
  work: (tx: Tx, principal: SessionPrincipal) => Promise<T>,
): Promise<T> {
  const { cookie } = credentials;
  if (cookie === null) throw notSignedIn();
  const session = { ...credentials, bearer: cookie, apiKey: null };
  return services.database.inTenantOfCredential(accessTokenHashes(cookie), async (tx, owner) => {
    const principal = await readPrincipal(tx, owner, session, services.settings);
    if (typeof principal === 'string' || principal.kind !== 'session') throw notSignedIn();
    notes.tenantId = principal.tenant.id;
    return work(tx, principal);
  });
}

export function notSignedIn(): AppError {
  return new AppError('unauthenticated', 'authentication required');
}

export function invalidBearer(): AppError {
  return new AppError('unauthenticated', 'invalid or expired bearer token');
}

/** Accepts the session cookie only. The handler calls `ctx.withSession`. */
export const sessionCookieProcedure = procedure.meta({ guard: 'session_cookie' }).use(({ ctx, next }) =>
  next({
    ctx: {
      withSession: <T>(work: Parameters<typeof withSessionCookie<T>>[1]) => withSessionCookie(ctx, work),
    },
  }),
);

/**
 * Opens a transaction as the member whose access token the request has as its bearer token.
 * @throws AppError 401
 */
export async function withBearer<T>(
  { credentials, notes, services }: RequestContext,
  work: (tx: Tx, principal: SessionPrincipal) => Promise<T>,
): Promise<T> {
  const { bearer } = credentials;
  if (bearer === null) throw new AppError('unauthenticated', 'missing bearer token');
  const session = { ...credentials, bearer, apiKey: null };
  return services.database.inTenantOfCredential(accessTokenHashes(bearer), async (tx, owner) => {
    const principal = await readPrincipal(tx, owner, session, services.settings);
    if (principal === 'tenant_inactive')
      throw new AppError('unauthenticated', 'tenant not found for bearer token');
    if (typeof principal === 'string' || principal.kind !== 'session') throw invalidBearer();
    notes.tenantId = principal.tenant.id;
    return work(tx, principal);
  });
}

/**
 * Accepts only an access token as a bearer token, for work that needs its own transactions. The handler calls
 * `ctx.withBearer`. If the input is rejected before that call, the guard still authenticates before the validation errors
 * are returned.
 */
export const deferredBearerProcedure = procedure.meta({ guard: 'bearer' }).use(async ({ ctx, next }) => {
  let attempted = false;
  const authenticate = <T>(work: Parameters<typeof withBearer<T>>[1]) => {
    attempted = true;
    return withBearer(ctx, work);
  };
  const result = await next({ ctx: { withBearer: authenticate } });
  if (!result.ok && !attempted) await withBearer(ctx, async () => {});
  return result;
});

/** Like `deferredBearerProcedure`, for a read that is also open to visitors of the demo workspace. */
export const deferredReaderProcedure = deferredBearerProcedure.use(({ ctx, next, path }) => {
  const visit = visitOf(ctx, path);
  const asReader: <T>(
    work: (tx: Tx, principal: SessionPrincipal | VisitorPrincipal) => Promise<T>,
  ) => Promise<T> = visit?.withVisitor ?? ctx.withBearer;
  return next({ ctx: { services: visit?.services ?? ctx.services, asReader } });
});

/** Accepts only an access token as a bearer token. The handler runs inside one transaction of the member's tenant. */
export const bearerProcedure = procedure.meta({ guard: 'bearer' }).use(({ ctx, next }) =>
  withBearer(ctx, async (tx, principal) => {
    const result = await next({ ctx: { tx, principal } });
    if (!result.ok) throw result.error;
    return result;
  }),
);

/**
 * Opens a transaction as a signed-in administrator. No key is accepted, not even the operator key: the operation is for
 * members of the tenant.
 * @throws AppError 401, 403
 */
export type AsAdministratorSession = <T>(
  work: (tx: Tx, principal: SessionPrincipal) => Promise<T>,
) => Promise<T>;

/** Authenticates the caller of `administratorSessionProcedure`. */
export function asAdministratorSession(ctx: RequestContext): AsAdministratorSession {
  return (work) =>
    withBearer(ctx, (tx, principal) => {
      requireAdministrator(principal.user);
      return work(tx, principal);
    });
}

/**
 * Builds the base of procedures that accept only an administrator's access token. The handler calls `asAdministrator`,
 * which authenticates in the transaction that the work needs anyway. If the input is rejected before that call, the guard
 * still authenticates before the validation errors are returned.
 * @param check throws if the session may not make the call
 */
const administratorSessionProcedureWith = (check: (principal: SessionPrincipal) => void) =>
  procedure.meta({ guard: 'administrator_session' }).use(async ({ ctx, next }) => {
    const authenticate = asAdministratorSession(ctx);
    let attempted = false;
    const asAdministrator: AsAdministratorSession = (work) => {
      attempted = true;
      return authenticate((tx, principal) => {
        check(principal);
        return work(tx, principal);
      });
    };
    const result = await next({ ctx: { asAdministrator } });
    if (!result.ok && !attempted) await authenticate(async () => {});
    return result;
  });

export const administratorSessionProcedure = administratorSessionProcedureWith(() => {});

/** Like `administratorSessionProcedure`; the session needs a recent proof of identity, else the response is 403. */
export const provedAdministratorSessionProcedure = administratorSessionProcedureWith(({ family }) =>
  requireProof(family),
);
