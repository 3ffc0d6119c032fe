import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';

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
export function formerAddresses(root: AnyRoute): [] {
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
