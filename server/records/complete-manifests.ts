import type { Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import { isInAccount, type LocatingServices, locate } from '#server/storage/destination.ts';
import {
  type Announcement,
  appendMissingLines,
  type GoldenRecord,
  goldenPrefixOf,
  type ManifestLine,
  manifestKey,
  manifestOf,
  type RecordedJobs,
  recordName,
} from './golden-records.ts';
import { manifestLines } from './manifests.ts';

/** Maximum difference in milliseconds between the clocks of two processes that write the same manifest. */
const clockMargin = 300_000;

/** Records that are read and listed together. */
const pageSize = 100;

/**
 * Adds the manifest lines that are missing because a process died after storing a job's row: the lines of announced
 * records to which their jobs refer. Each manifest is read once.
 * @returns the number of added lines; `unreached`: whether a tenant's own account failed
 */
export async function completeManifests(
  services: LocatingServices & Pick<Services, 'log'>,
  kind: RecordedJobs,
  announced: readonly Announcement[],
): Promise<{ added: number; unreached: boolean }> {
  let added = 0;
  let unreached = false;
  for (const group of Map.groupBy(announced, manifestNameOf).values()) {
    const [{ tenant_id, golden_uri }] = group as [Announcement, ...Announcement[]];
    try {
      added += await completeManifest(services, kind, group);
    } catch (error) {
      // If an account cannot be reached, the others must still be completed.
      if (!isAccountFailure(golden_uri, error)) throw error;
      unreached = true;
      services.log.warn(
        { tenant_id, error: describeForLog(error) },
        "the manifest in a tenant's account was not completed yet",
      );
    }
  }
  return { added, unreached };
}

/** Whether an error comes from the tenant's own account, rather than from platform storage. */
export function isAccountFailure(address: string, error: unknown): boolean {
  return isInAccount(address) && (error instanceof AppError || error instanceof StoreError);
}

/**
 * Returns the manifest to which a record belongs. There is one per day, in platform storage or in a golden directory of
 * a tenant's account.
 */
function manifestNameOf({ tenant_id, golden_uri, recorded_at }: Announcement): string {
  const day = recorded_at.slice(0, 10);
  return isInAccount(golden_uri) ? `${day} ${tenant_id} ${goldenPrefixOf(golden_uri)}` : day;
}

async function completeManifest(
  services: LocatingServices,
  kind: RecordedJobs,
  group: readonly Announcement[],
): Promise<number> {
  const [{ tenant_id: tenantId, golden_uri: uri, recorded_at: at }] = group as [
    Announcement,
    ...Announcement[],
  ];
  const located = await locate(services, tenantId, uri);
  // The tenant has disconnected its account, and with it the manifest.
  if (!located) return 0;
  const manifest = manifestOf(services, located, new Date(at));
  const missing = new Map(group.map((one) => [manifestKey(one), one]));
  const times = group.map(({ recorded_at }) => Date.parse(recorded_at));
  const span = {
    from: times.reduce((one, other) => Math.min(one, other)),
    to: times.reduce((one, other) => Math.max(one, other)),
    margin: clockMargin,
  };
  for await (const lines of manifestLines<ManifestLine>(manifest, span))
    for (const line of lines) missing.delete(manifestKey(line));
  const unlisted = [...missing.values()];
  let added = 0;
  for (let from = 0; from < unlisted.length; from += pageSize) {
    const records: GoldenRecord[] = [];
    for (const { tenant_id, job_id, golden_uri, recorded_at } of unlisted.slice(from, from + pageSize)) {
      const record = await services.database.inTenant(tenant_id, (tx) =>
        kind.recordOf(tx, tenant_id, job_id),
      );
      if (record && recordName(record.uri) === recordName(golden_uri))
        records.push({ ...record, recordedAt: new Date(recorded_at) });
    }
    added += await appendMissingLines(manifest, records);
  }
  return added;
}
