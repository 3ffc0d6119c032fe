/**
 * The URL for `pg`, with which graphile-worker connects. `pg` must interpret `sslmode` as postgres.js does: `require`
 * encrypts without checking the certificate, and no variable such as PGSSLMODE replaces a missing one.
 */
export function queueUrl(url: string, applicationName: string): string {
  const named = new URL(url);
  const { searchParams } = named;
  if (!searchParams.has('sslmode')) searchParams.set('sslmode', 'disable');
  searchParams.set('uselibpqcompat', 'true');
  searchParams.set('application_name', applicationName);
  return named.href;
}
