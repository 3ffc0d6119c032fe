import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { deployment } from './deployment.ts';
import { NotFound } from './parts/not-found.tsx';
import { RouteError } from './parts/problem.tsx';
import { readJobFilter } from './screens/jobs/search.ts';
import { readTranslateSearch } from './screens/translate/search.ts';
import { sessionState } from './session/keeper.ts';
import { isOwnPath } from './session/own-path.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signInScreen = lazyRouteComponent(() => import('./screens/sign-in/sign-in.tsx'), 'SignInScreen');

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: ({ next, found }: Record<string, unknown>): { next?: string; found?: true } => ({
    ...(typeof next === 'string' && isOwnPath(next) && { next }),
    ...(found === true && { found: true }),
  }),
  component: signInScreen,
});

/** Where the identity provider sends people back. */
const ssoReturn = createRoute({ getParentRoute: () => root, path: '/signin/sso', component: signInScreen });

/** Everything that needs a session; who has none is sent to sign in, and back. */
const workspace = createRoute({
  getParentRoute: () => root,
  id: 'workspace',
  beforeLoad({ location }) {
    if (sessionState().kind === 'signed_out')
      throw redirect({ to: '/signin', search: { next: location.href } });
  },
  component: lazyRouteComponent(() => import('./parts/workspace-frame.tsx'), 'WorkspaceFrame'),
});

const home = createRoute({
  getParentRoute: () => workspace,
  path: '/app',
  component: lazyRouteComponent(() => import('./screens/home/home.tsx'), 'HomeScreen'),
});

const translate = createRoute({
  getParentRoute: () => workspace,
  path: '/app/translate',
  validateSearch: readTranslateSearch,
  component: lazyRouteComponent(() => import('./screens/translate/translate.tsx'), 'TranslateScreen'),
});

const jobs = createRoute({
  getParentRoute: () => workspace,
  path: '/app/jobs',
  validateSearch: readJobFilter,
  component: lazyRouteComponent(() => import('./screens/jobs/jobs.tsx'), 'JobsScreen'),
});

const job = createRoute({
  getParentRoute: () => workspace,
  path: '/jobs/$jobId',
  component: lazyRouteComponent(() => import('./screens/jobs/job.tsx'), 'JobScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, ssoReturn, workspace.addChildren([home, translate, jobs, job])]),
  basepath: deployment.basePath || '/',
  // A screen sees only what it has read from the address itself.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultErrorComponent: RouteError,
  // Shown only if a screen takes longer, so that nothing flashes.
  defaultPendingMs: 200,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
