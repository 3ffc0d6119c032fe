import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { deployment } from './deployment.ts';
import { readSegmentFilter } from './editor/segment-filter.ts';
import { readTextSearch } from './editor/texts/filters.ts';
import { loadWords } from './i18n.tsx';
import { NotFound } from './parts/not-found.tsx';
import { RouteError } from './parts/problem.tsx';
import { readDocumentFilter } from './screens/documents/search.ts';
import { readInboxSearch } from './screens/inbox/inbox-search.ts';
import { readJobFilter } from './screens/jobs/search.ts';
import { readConcordanceSearch, readContentFilter, readMemoryFilter } from './screens/sets/search.ts';
import { readTranslateSearch } from './screens/translate/search.ts';
import { isOpen, isVisitor, sessionState } from './session/keeper.ts';

/** Addresses that the application had before, and their present ones, so that stored links keep working. */
const pairs: readonly [former: string, present: string][] = [
  ['/app/review', '/app/edit/texts'],
  ['/app/documents', '/app/files'],
  ['/app/documents/$documentId', '/app/edit/documents/$documentId'],
  ['/app/jobs', '/app/texts'],
  ['/app/memories/concordance', '/app/concordance'],
  ['/app/usage', '/app/reports'],
  ...['members', 'security', 'audit', 'storage', 'operator'].map((screen): [string, string] => [
    `/app/${screen}`,
    `/app/settings/${screen}`,
  ]),
];

/**
 * Routes that redirect from the former addresses, with the same search parameters. The type checker does not see
 * them, so that no link in the application uses them.
 */
function formerAddresses(root: AnyRoute): [] {
  return pairs.map(([path, to]) =>
    createRoute({
      getParentRoute: () => root,
      path,
      validateSearch: (search: Record<string, unknown>) => search,
      beforeLoad({ params, search }: { params: object; search: object }) {
        throw redirect({ to, params, search, replace: true } as never);
      },
    }),
  ) as unknown as [];
}

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const signInScreen = lazyRouteComponent(() => import('./screens/sign-in/sign-in.tsx'), 'SignInScreen');

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: ({
    next,
    found,
    workspace,
  }: Record<string, unknown>): { next?: string; found?: true; workspace?: string } => ({
    ...(typeof next === 'string' && isOwnPath(next) && { next }),
    ...(found === true && { found: true }),
    ...(typeof workspace === 'string' && /^[a-z0-9_-]{1,64}$/.test(workspace) && { workspace }),
  }),
  component: signInScreen,
});

/** The page to which the identity provider redirects. */
const ssoReturn = createRoute({ getParentRoute: () => root, path: '/signin/sso', component: signInScreen });

/**
 * The parent of all routes that need a session. Without a session, a route redirects to the sign-in, which then
 * redirects back.
 */
const workspace = createRoute({
  getParentRoute: () => root,
  id: 'workspace',
  async beforeLoad({ location }) {
    if (sessionState().kind === 'signed_out')
      throw redirect({ to: '/signin', search: { next: location.href } });
    if (!isOpen(location.pathname)) throw redirect({ to: '/app', replace: true });
    await Promise.all([loadWords('workspace'), isVisitor() && loadWords('demo')]);
  },
  component: lazyRouteComponent(() => import('./frame/workspace-frame.tsx'), 'WorkspaceFrame'),
});

/** The messages of files, texts and the editor. */
const loadWork = () => loadWords('work');

const inbox = createRoute({
  getParentRoute: () => workspace,
  path: '/app',
  validateSearch: readInboxSearch,
  component: lazyRouteComponent(() => import('./screens/inbox/inbox.tsx'), 'InboxScreen'),
});

const translate = createRoute({
  getParentRoute: () => workspace,
  path: '/app/translate',
  beforeLoad: () => Promise.all([loadWords('translate'), loadWork()]),
  validateSearch: readTranslateSearch,
  component: lazyRouteComponent(() => import('./screens/translate/translate.tsx'), 'TranslateScreen'),
});

const jobs = createRoute({
  getParentRoute: () => workspace,
  path: '/app/texts',
  beforeLoad: loadWork,
  validateSearch: readJobFilter,
  component: lazyRouteComponent(() => import('./screens/jobs/jobs.tsx'), 'JobsScreen'),
});

const job = createRoute({
  getParentRoute: () => workspace,
  path: '/jobs/$jobId',
  beforeLoad: loadWork,
  component: lazyRouteComponent(() => import('./screens/jobs/job.tsx'), 'JobScreen'),
});

/** YYYY-MM-DD */
const date = /^[1-9]\d{3}-\d\d-\d\d$/;

const members = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/members',
  beforeLoad: () => Promise.all([loadWords('assignments'), loadWords('settings')]),
  validateSearch: ({ revoked }: Record<string, unknown>): { revoked?: true } =>
    revoked === true ? { revoked } : {},
  component: lazyRouteComponent(() => import('./screens/members/members.tsx'), 'MembersScreen'),
});

const usage = createRoute({
  getParentRoute: () => workspace,
  path: '/app/reports',
  beforeLoad: () => Promise.all([loadWords('usage'), loadWords('assignments')]),
  validateSearch: (search: Record<string, unknown>): { period?: string; from?: string; to?: string } =>
    texts(search, { period: /^\d{4}-\d\d$/, from: date, to: date }),
  component: lazyRouteComponent(() => import('./screens/usage/usage.tsx'), 'UsageScreen'),
});

const quality = createRoute({
  getParentRoute: () => workspace,
  path: '/app/quality',
  beforeLoad: () => loadWords('quality'),
  validateSearch: (search: Record<string, unknown>): { view?: string; days?: number; language?: string } => ({
    ...texts(search, {
      view: /^(report|spot_check|quality_check|scorecard)$/,
      language: /^[A-Za-z-]{2,20}$/,
    }),
    ...([30, 90, 180, 365].includes(search['days'] as number) && { days: search['days'] as number }),
  }),
  component: lazyRouteComponent(() => import('./screens/quality/quality.tsx'), 'QualityScreen'),
});

const billing = createRoute({
  getParentRoute: () => workspace,
  path: '/billing',
  beforeLoad: () => loadWords('settings'),
  validateSearch: (search: Record<string, unknown>): { checkout?: string; topup?: string } =>
    texts(search, { checkout: /^(success|cancelled)$/, topup: /^(success|cancelled)$/ }),
  component: lazyRouteComponent(() => import('./screens/billing/billing.tsx'), 'BillingScreen'),
});

const audit = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/audit',
  // Events name what the other settings name.
  beforeLoad: () => Promise.all([loadWords('audit'), loadWords('settings')]),
  validateSearch: (
    search: Record<string, unknown>,
  ): { action?: string; by?: string; since?: string; until?: string } =>
    texts(search, { action: /^[a-z_]{1,50}$/, by: /^[\w-]{1,64}$/, since: date, until: date }),
  component: lazyRouteComponent(() => import('./screens/audit/audit.tsx'), 'AuditScreen'),
});

const security = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/security',
  beforeLoad: () => loadWords('settings'),
  component: lazyRouteComponent(() => import('./screens/security/security.tsx'), 'SecurityScreen'),
});

const notifications = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/notifications',
  component: lazyRouteComponent(
    () => import('./screens/notifications/notifications.tsx'),
    'NotificationsScreen',
  ),
});

const styleGuides = createRoute({
  getParentRoute: () => workspace,
  path: '/app/style-guides',
  beforeLoad: () => loadWords('styleGuides'),
  component: lazyRouteComponent(() => import('./screens/style-guides/style-guides.tsx'), 'StyleGuidesScreen'),
});

const general = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/general',
  beforeLoad: () => Promise.all([loadWords('settings'), loadWords('sets'), loadWords('translate')]),
  component: lazyRouteComponent(() => import('./screens/general/general.tsx'), 'GeneralScreen'),
});

const apiKeys = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/api-keys',
  beforeLoad: () => loadWords('settings'),
  component: lazyRouteComponent(() => import('./screens/api-keys/api-keys.tsx'), 'ApiKeysScreen'),
});

const storage = createRoute({
  getParentRoute: () => workspace,
  path: '/app/settings/storage',
  beforeLoad: () => loadWords('settings'),
  component: lazyRouteComponent(() => import('./screens/storage/storage.tsx'), 'StorageScreen'),
});

/** The parent of the screens for operators, which have separate messages. */
const operators = createRoute({
  getParentRoute: () => workspace,
  id: 'operators',
  // These screens show charts of the reports, too.
  beforeLoad: () => Promise.all([loadWords('operator'), loadWords('usage'), loadWords('settings')]),
});

const operator = createRoute({
  getParentRoute: () => operators,
  path: '/app/settings/operator',
  validateSearch: (search: Record<string, unknown>): { tenant?: string } =>
    texts(search, { tenant: /^[\w-]{1,100}$/ }),
  component: lazyRouteComponent(() => import('./screens/operator/operator.tsx'), 'OperatorScreen'),
});

const operatorQueue = createRoute({
  getParentRoute: () => operators,
  path: '/app/settings/operator/queue',
  component: lazyRouteComponent(() => import('./screens/operator/queue.tsx'), 'QueueScreen'),
});

const operatorModels = createRoute({
  getParentRoute: () => operators,
  path: '/app/settings/operator/models',
  component: lazyRouteComponent(() => import('./screens/operator/models.tsx'), 'ModelsScreen'),
});

const operatorWorkspace = createRoute({
  getParentRoute: () => operators,
  path: '/app/settings/operator/workspaces/$tenantId',
  component: lazyRouteComponent(() => import('./screens/operator/workspace.tsx'), 'OneWorkspaceScreen'),
});

const documents = createRoute({
  getParentRoute: () => workspace,
  path: '/app/files',
  beforeLoad: loadWork,
  validateSearch: readDocumentFilter,
  component: lazyRouteComponent(() => import('./screens/documents/documents.tsx'), 'DocumentsScreen'),
});

const estimates = createRoute({
  getParentRoute: () => workspace,
  path: '/app/estimates',
  beforeLoad: () => Promise.all([loadWords('estimates'), loadWords('translate'), loadWork()]),
  component: lazyRouteComponent(() => import('./screens/estimates/estimates.tsx'), 'EstimatesScreen'),
});

const estimate = createRoute({
  getParentRoute: () => workspace,
  path: '/app/estimates/$estimateId',
  beforeLoad: () => Promise.all([loadWords('estimates'), loadWords('translate'), loadWork()]),
  component: lazyRouteComponent(() => import('./screens/estimates/estimate.tsx'), 'EstimateScreen'),
});

const document = createRoute({
  getParentRoute: () => workspace,
  path: '/app/edit/documents/$documentId',
  beforeLoad: loadWork,
  validateSearch: readSegmentFilter,
  component: lazyRouteComponent(() => import('./editor/document-editor.tsx'), 'DocumentEditorScreen'),
});

const review = createRoute({
  getParentRoute: () => workspace,
  path: '/app/edit/texts',
  beforeLoad: loadWork,
  validateSearch: readTextSearch,
  component: lazyRouteComponent(() => import('./editor/texts/texts-editor.tsx'), 'TextsEditorScreen'),
});

const glossaries = createRoute({
  getParentRoute: () => workspace,
  path: '/app/glossaries',
  beforeLoad: () => loadWords('sets'),
  component: lazyRouteComponent(() => import('./screens/sets/glossaries.tsx'), 'GlossariesScreen'),
});

const candidates = createRoute({
  getParentRoute: () => workspace,
  path: '/app/glossaries/candidates',
  beforeLoad: () => loadWords('sets'),
  component: lazyRouteComponent(() => import('./screens/sets/candidates.tsx'), 'CandidatesScreen'),
});

const glossary = createRoute({
  getParentRoute: () => workspace,
  path: '/app/glossaries/$setId',
  beforeLoad: () => loadWords('sets'),
  validateSearch: readContentFilter,
  component: lazyRouteComponent(() => import('./screens/sets/glossary.tsx'), 'GlossaryScreen'),
});

const memories = createRoute({
  getParentRoute: () => workspace,
  path: '/app/memories',
  beforeLoad: () => loadWords('sets'),
  component: lazyRouteComponent(() => import('./screens/sets/memories.tsx'), 'MemoriesScreen'),
});

const align = createRoute({
  getParentRoute: () => workspace,
  path: '/app/memories/align',
  beforeLoad: () => loadWords('sets'),
  validateSearch: (search: Record<string, unknown>): { memory?: string } =>
    texts(search, { memory: /^[\w-]{1,64}$/ }),
  component: lazyRouteComponent(() => import('./screens/sets/align.tsx'), 'AlignScreen'),
});

const memory = createRoute({
  getParentRoute: () => workspace,
  path: '/app/memories/$setId',
  beforeLoad: () => Promise.all([loadWords('sets'), loadWords('tools'), loadWork()]),
  validateSearch: readMemoryFilter,
  component: lazyRouteComponent(() => import('./screens/sets/memory.tsx'), 'MemoryScreen'),
});

const duplicates = createRoute({
  getParentRoute: () => workspace,
  path: '/app/memories/$setId/duplicates',
  beforeLoad: () => loadWords('sets'),
  component: lazyRouteComponent(() => import('./screens/sets/duplicates.tsx'), 'DuplicatesScreen'),
});

const concordance = createRoute({
  getParentRoute: () => workspace,
  path: '/app/concordance',
  beforeLoad: () => loadWords('sets'),
  validateSearch: readConcordanceSearch,
  component: lazyRouteComponent(() => import('./screens/sets/concordance.tsx'), 'ConcordanceScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    ssoReturn,
    workspace.addChildren([
      inbox,
      translate,
      review,
      jobs,
      job,
      documents,
      estimates,
      estimate,
      document,
      glossaries,
      candidates,
      glossary,
      memories,
      align,
      duplicates,
      memory,
      concordance,
      members,
      security,
      notifications,
      styleGuides,
      general,
      apiKeys,
      audit,
      usage,
      quality,
      billing,
      storage,
      operators.addChildren([operator, operatorQueue, operatorModels, operatorWorkspace]),
    ]),
    ...formerAddresses(root),
  ]),
  basepath: deployment.basePath || '/',
  // A screen receives only the parameters that its route validates.
  search: { strict: true },
  defaultPreload: 'intent',
  defaultErrorComponent: RouteError,
  // The loading message appears only if a screen takes longer than 200 ms, to avoid flashing.
  defaultPendingMs: 200,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** The valid parameters of a URL; invalid ones are ignored. */
function texts<K extends string>(
  search: Record<string, unknown>,
  forms: Record<K, RegExp>,
): { [P in K]?: string } {
  const found = Object.entries<RegExp>(forms).filter(([name, form]) => {
    const value = search[name];
    return typeof value === 'string' && form.test(value);
  });
  return Object.fromEntries(found.map(([name]) => [name, search[name]])) as { [P in K]?: string };
}

/** Whether a path belongs to this application: otherwise a link could make the sign-in redirect to another site. */
function isOwnPath(path: string): boolean {
  return /^\/(app|jobs|billing)([/?#]|$)/.test(path);
}
