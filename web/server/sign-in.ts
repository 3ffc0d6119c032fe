import { callTRPCProcedure } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBody } from '#rest/body-parsers.ts';
import { sendError } from '#rest/errors.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError, toAppError } from '#server/errors.ts';
import { prefixedCookie, readCookie } from '#server/http/cookies.ts';
import type { AppRouter } from '#server/router.ts';

/*
 * The sign-in of the browser application. The procedures that issue tokens are available here in addition to the API,
 * with one difference: the refresh token is in a cookie that no script can read. The access token stays in the
 * response, and the application keeps it only in memory.
 */

/** The cookie with the refresh token. Browsers send it only to URLs below `path`. */
export interface RefreshCookie {
  name: string;
  path: string;
  secure: boolean;
}

/**
 * The prefix `__Host-` protects a cookie from other hosts, but requires https and the path `/`. If the service has a
 * path on a shared host, the cookie has that narrower path instead, so that other applications on the host do not
 * receive the token.
 */
export function refreshCookieOf(basePath: string, secure: boolean): RefreshCookie {
  const path = secure && basePath === '' ? '/' : `${basePath}/signin`;
  return { name: prefixedCookie('ll_refresh', secure, path), path, secure };
}

/** The procedures whose responses may contain tokens, by the path of their endpoint. */
const issuing: Readonly<Record<string, string>> = {
  '/signin/token': 'auth.token',
  '/signin/mfa/verify': 'auth.verifyMfa',
  '/signin/mfa/confirm': 'auth.confirmMfa',
  '/signin/signup': 'auth.signUpWithEmail',
  '/signin/sso/callback': 'auth.completeSso',
};

interface IssuedFields {
  refresh_token: string;
  refresh_expires_in: number;
}

export function serveSignIn(
  app: FastifyInstance,
  router: AppRouter,
  createContext: (request: FastifyRequest, reply: FastifyReply) => RequestContext,
  cookie: RefreshCookie,
): void {
  const setCookie = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      'set-cookie',
      `${cookie.name}=${value}; Path=${cookie.path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${cookie.secure ? '; Secure' : ''}`,
    );

  /** Moves the refresh token from a response to the cookie. The token may also be inside the field `token`. */
  const withoutRefreshToken = (reply: FastifyReply, output: object): object => {
    if (isIssued(output)) {
      const { refresh_token, ...rest } = output;
      setCookie(reply, refresh_token, output.refresh_expires_in);
      return rest;
    }
    if ('token' in output && typeof output.token === 'object' && output.token !== null)
      return { ...output, token: withoutRefreshToken(reply, output.token) };
    return output;
  };

  const serve = (
    url: string,
    procedure: string,
    readInput: (request: FastifyRequest) => Record<string, unknown>,
    /** Whether the browser must delete its refresh token after a response with this status. */
    forgets: (status: number) => boolean = () => false,
  ) =>
    app.post(url, { config: { versioned: false } }, async (request, reply) => {
      try {
        const ctx = createContext(request, reply);
        if (ctx.crossSite) throw new AppError('forbidden', 'cross-site requests are not allowed here');
        const output = (await callTRPCProcedure({
          router,
          path: procedure,
          type: 'mutation',
          ctx,
          getRawInput: async () => readInput(request),
          signal: undefined,
          batchIndex: 0,
        })) as object;
        if (forgets(200)) setCookie(reply, '', 0);
        return reply
          .header('content-type', 'application/json; charset=utf-8')
          .send(JSON.stringify(withoutRefreshToken(reply, output)));
      } catch (error) {
        if (forgets(toAppError(error).status)) setCookie(reply, '', 0);
        return sendError(reply, error);
      }
    });

  for (const [url, procedure] of Object.entries(issuing))
    serve(url, procedure, ({ body, headers }) => parseJsonBody(body, headers['content-type']));

  const refreshToken = ({ headers }: FastifyRequest): string => {
    const token = readCookie(headers, cookie.name);
    if (token === null) throw new AppError('unauthenticated', 'not signed in');
    return token;
  };
  serve(
    '/signin/refresh',
    'auth.token',
    (request) => {
      const { body, headers } = request;
      const refresh_token = refreshToken(request);
      // The retry key comes from the page, which stored it before the request. The refresh token comes only from the
      // cookie.
      const { retry_key } = parseJsonBody(body, headers['content-type']);
      return { grant_type: 'refresh_token', refresh_token, retry_key };
    },
    // A rejected token cannot become valid again, so it is deleted. After a failure of the service, the token is kept.
    (status) => status === 401,
  );
  serve(
    '/signin/signout',
    'auth.signOut',
    ({ headers }) => ({ refresh_token: readCookie(headers, cookie.name) }),
    (status) => status === 200,
  );
}

/** Whether the request contains a cookie with a refresh token, which may be invalid. */
export function hasRefreshToken({ headers }: FastifyRequest, cookie: RefreshCookie): boolean {
  return readCookie(headers, cookie.name) !== null;
}

function isIssued(output: object): output is IssuedFields {
  return 'refresh_token' in output && 'refresh_expires_in' in output;
}
