/**
 * Returns the database URL for `pg`, the driver of graphile-worker. `pg` must interpret `sslmode` as postgres.js
 * does: `require` encrypts without checking the certificate, and environment variables such as PGSSLMODE have no
 * effect.
 */
export function queueUrl(url: string, applicationName: string): string {
  const named = new URL(url);
  const { searchParams } = named;
  if (!searchParams.has('sslmode')) searchParams.set('sslmode', 'disable');
  searchParams.set('uselibpqcompat', 'true');
  searchParams.set('application_name', applicationName);
  return named.href;
}
