/**
 * The URL for `pg`, by which graphile-worker connects. It is to read `sslmode` as postgres.js does: `require` encrypts without a look at the certificate,
 * and no variable such as PGSSLMODE takes the place of one that is missing.
 */
export function queueUrl(url: string, applicationName: string): string {
  const named = new URL(url);
  const { searchParams } = named;
  if (!searchParams.has('sslmode')) searchParams.set('sslmode', 'disable');
  searchParams.set('uselibpqcompat', 'true');
  searchParams.set('application_name', applicationName);
  return named.href;
}
