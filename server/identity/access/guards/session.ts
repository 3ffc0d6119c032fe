import type { Tx } from '#db/client.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { admitFirst, procedure } from '#server/trpc.ts';
import {
  accessTokenHashes,
  readPrincipal,
  requireAdministrator,
  type SessionPrincipal,
  type VisitorPrincipal,
} from '../principal.ts';
import { requireProof } from '../proof.ts';
import { visitOf } from './visitor.ts';

/** The work of a transaction that only decides about the caller. */
export const nothing = async () => {};

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
export const sessionCookieProcedure = procedure
  .meta({ guard: 'session_cookie', admit: (ctx) => withSessionCookie(ctx, nothing) })
  .use(({ ctx, next }) =>
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

const bearerOnly = procedure.meta({ guard: 'bearer', admit: (ctx) => withBearer(ctx, nothing) });

/**
 * Accepts only an access token as a bearer token, for work that needs its own transactions. The handler calls
 * `ctx.withBearer`.
 */
export const deferredBearerProcedure = bearerOnly.use(admitFirst).use(({ ctx, next }) =>
  next({
    ctx: { withBearer: <T>(work: Parameters<typeof withBearer<T>>[1]) => withBearer(ctx, work) },
  }),
);

type AsReader = <T>(
  work: (tx: Tx, principal: SessionPrincipal | VisitorPrincipal) => Promise<T>,
) => Promise<T>;

/** Returns what a procedure gets for its caller: the member's tenant or, for a visitor, the demo workspace. */
function readerOf(ctx: RequestContext, procedure: string): { services: Services; asReader: AsReader } {
  const visit = visitOf(ctx, procedure);
  if (visit) return { services: visit.services, asReader: visit.withVisitor };
  return { services: ctx.services, asReader: (work) => withBearer(ctx, work) };
}

/** Like `deferredBearerProcedure`, for a read that is also open to visitors of the demo workspace. */
export const deferredReaderProcedure = procedure
  .meta({ guard: 'bearer', admit: (ctx, path) => readerOf(ctx, path).asReader(nothing) })
  .use(admitFirst)
  .use(({ ctx, next, path }) => next({ ctx: readerOf(ctx, path) }));

/** Accepts only an access token as a bearer token. The handler runs inside one transaction of the member's tenant. */
export const bearerProcedure = bearerOnly.use(({ ctx, next }) =>
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
 * which authenticates in the transaction that the work needs anyway.
 * @param check throws if the session may not make the call
 */
function administratorSessionProcedureWith(check: (principal: SessionPrincipal) => void) {
  const asAdministratorOf =
    (ctx: RequestContext): AsAdministratorSession =>
    (work) =>
      asAdministratorSession(ctx)((tx, principal) => {
        check(principal);
        return work(tx, principal);
      });
  return procedure
    .meta({ guard: 'administrator_session', admit: (ctx) => asAdministratorOf(ctx)(nothing) })
    .use(admitFirst)
    .use(({ ctx, next }) => next({ ctx: { asAdministrator: asAdministratorOf(ctx) } }));
}

export const administratorSessionProcedure = administratorSessionProcedureWith(nothing);

/** Like `administratorSessionProcedure`; the session needs a recent proof of identity, else the response is 403. */
export const provedAdministratorSessionProcedure = administratorSessionProcedureWith(({ family }) =>
  requireProof(family),
);
