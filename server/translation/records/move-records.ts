import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { isInAccount, type LocatingServices, locate } from '#server/storage/destination.ts';
import {
  type Announcement,
  type GoldenRecord,
  goldenFolder,
  type RecordedJobs,
  writeOnPlatform,
} from './golden-records.ts';

type MoveServices = LocatingServices & Pick<Services, 'log'>;

/** Milliseconds of one run. The next one continues. */
const runMs = 10_000;
/** Milliseconds until a process looks again for records to move, after it has looked at all files and moved none. */
const restMs = 86_400_000;
/** A look at all files of former versions, which takes as many runs as necessary. */
interface Pass {
  files: AsyncIterator<Announcement, void>;
  moved: number;
}
const passes = new WeakMap<Services['storage'], Pass>();
/** When a process next looks for records to move. */
const restsUntil = new WeakMap<Services['storage'], number>();
/** Records whose rows are read together. */
const pageSize = 100;

/**
 * Writes a record again. In an account, it replaces the former one. In platform storage, the row then refers to the new
 * record, and the former one is removed. If a process dies before that, the row still refers to the former record, and
 * `checkGoldenRecords` removes the new one.
 * @returns false if the row has changed in the meantime, or if the account was disconnected
 * @throws the error of the store; AppError 409 storage_binding_not_verified
 */
export async function rewriteRecord(
  services: LocatingServices,
  kind: RecordedJobs,
  record: GoldenRecord,
): Promise<boolean> {
  const { tenantId, jobId, uri: from } = record;
  if (isInAccount(from)) {
    const place = await locate(services, tenantId, from);
    await place?.store.put(place.path, record.content);
    return place !== null;
  }
  const { address: to, path } = await writeOnPlatform(services, record);
  if (to === from) return true;
  const moved = await services.database.inTenant(tenantId, async (tx) => {
    if (!(await kind.relocate(tx, tenantId, jobId, { from, to }))) return false;
    await removeFormerLater(tx, tenantId, jobId, from);
    return true;
  });
  await services.storage.remove(moved ? `${tenantId}/${from}` : path);
  return moved;
}

/** Queues a task that removes the former record of a job, in case the process dies before it does so. */
function removeFormerLater(tx: Tx, tenantId: string, jobId: string, goldenUri: string): Promise<void> {
  const key = `remove_golden_records:${jobId}:${goldenUri}`;
  return addJob(
    tx,
    'remove_golden_records',
    { tenantId, jobId, attempt: 0, goldenUri },
    { key, afterSeconds: 60 },
  );
}

/**
 * Moves records that earlier versions wrote to separate files into packs. May be interrupted at any point: a
 * row refers to the file until its record is in a pack, and the file is removed after that.
 */
export async function packSingleRecords(
  services: MoveServices,
  kinds: readonly RecordedJobs[],
): Promise<void> {
  const { storage, log } = services;
  if (Date.now() < (restsUntil.get(storage) ?? 0)) return;
  const end = Date.now() + runMs;
  const pass = passes.get(storage) ?? { files: filesOf(storage), moved: 0 };
  // After an error, the next run begins again.
  passes.delete(storage);
  let moved = 0;
  for (let page = await nextPage(pass.files); page.length > 0; page = await nextPage(pass.files)) {
    for (const kind of kinds) moved += await moveRecords(services, kind, page);
    if (Date.now() <= end) continue;
    passes.set(storage, { ...pass, moved: pass.moved + moved });
    break;
  }
  if (!passes.has(storage) && pass.moved + moved === 0) restsUntil.set(storage, Date.now() + restMs);
  if (moved > 0) log.info({ moved }, 'golden records moved into packs');
}

async function* filesOf(storage: Services['storage']): AsyncGenerator<Announcement, void> {
  for (const tenantId of await storage.listTop())
    for await (const path of storage.singleRecords(`${tenantId}/${goldenFolder}`)) {
      const uri = path.slice(tenantId.length + 1);
      const jobId = /([0-9a-f]{32})(?:\.\d+)?\.json$/.exec(uri)?.[1];
      if (jobId) yield { tenant_id: tenantId, job_id: jobId, golden_uri: uri };
    }
}

async function nextPage(files: Pass['files']): Promise<Announcement[]> {
  const page: Announcement[] = [];
  while (page.length < pageSize) {
    const { done, value } = await files.next();
    if (done) break;
    page.push(value);
  }
  return page;
}

/** Moves those records of a page to which rows of this kind refer. Returns their number. */
async function moveRecords(
  services: MoveServices,
  kind: RecordedJobs,
  page: readonly Announcement[],
): Promise<number> {
  const { database, storage, log } = services;
  const verdicts = await database.inPlatform((tx) => kind.judge(tx, page));
  let moved = 0;
  for (const [index, { tenant_id: tenantId, job_id: jobId, golden_uri: uri }] of page.entries()) {
    if (verdicts[index] !== 'listed') continue;
    try {
      const record = await database.inTenant(tenantId, (tx) => kind.recordOf(tx, tenantId, jobId));
      if (record?.uri !== uri) continue;
      const path = `${tenantId}/${uri}`;
      // The file is moved as it is, unless it is damaged.
      const content = (await readRecord(storage, path)) ?? record.content;
      if (await rewriteRecord(services, kind, { ...record, content })) moved += 1;
    } catch (error) {
      log.warn({ job_id: jobId, error: describeForLog(error) }, 'a golden record was not moved yet');
    }
  }
  return moved;
}

/** Returns a record as one line of JSON; undefined if it is missing or damaged. */
async function readRecord(storage: Services['storage'], path: string): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await storage.stream(path)) ?? []) pieces.push(piece);
  try {
    return JSON.stringify(JSON.parse(Buffer.concat(pieces).toString()));
  } catch {
    return undefined;
  }
}
