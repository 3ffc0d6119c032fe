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
import { sessionState } from './session/keeper.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === 'string' && isOwnPath(next) ? { next } : {},
  component: lazyRouteComponent(() => import('./screens/sign-in/sign-in.tsx'), 'SignInScreen'),
});

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
  component: lazyRouteComponent(() => import('./screens/home.tsx'), 'HomeScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([signIn, workspace.addChildren([home])]),
  basepath: deployment.basePath || '/',
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

/** Only a path of this application: another site's address would make the sign-in a way to send people there. */
function isOwnPath(path: string): boolean {
  return /^\/(app|jobs|billing)([/?#]|$)/.test(path);
}
