import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openBound } from './bound-workspace.ts';
import { startAccount } from './data-lake-account.ts';
import { verifyHere } from './verify.ts';

// Small pages, so that listings have several pages.
const account = await startAccount({ pageSize: 2 });
afterAll(() => account.lake.close());

const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
  },
});

const store = account.open();

/** The IDs of the workspaces that share the container. */
const owners: string[] = [];

/** Creates a tenant with its own directory in the account, and a published job and a translated document there. */
async function openAccount(directory = newId()) {
  const mine = await openBound(app, account);
  // All tenants in these tests share one container.
  const { filesystem } = account.address;
  const prefixes = { golden: `${directory}/golden/`, documents: `${directory}/documents/` };
  owners.push(mine.tenantId);
  await store.put('lingualoop-workspace/owners.txt', owners.join('\n'));
  await mine.connect({ filesystem, prefixes });
  const job = await mine.job();
  const document = await mine.translate(['Hello']);
  const own = () =>
    [...account.lake.files(account.name, filesystem).keys()].filter((path) => path.startsWith(directory));
  await expect.poll(() => own().filter((path) => path.includes('manifest'))).toHaveLength(1);
  const path = (part: string) => own().find((each) => each.includes(part)) as string;
  return {
    ...mine,
    job: job as { id: string },
    document: document as { id: string },
    directory,
    record: path(job.id),
    file: path('translated-'),
    manifest: path('manifest'),
    compare: (quick = false) => verifyHere(app.services, { tenant: mine.tenantId, quick }),
  };
}

type Account = Awaited<ReturnType<typeof openAccount>>;

/** Writes an object with a modification time four hours ago. */
async function putOld(path: string, content: string): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 4 * 3_600_000 });
  try {
    await store.put(path, content);
  } finally {
    vi.useRealTimers();
  }
}

let mine: Account;
beforeEach(async () => {
  mine = await openAccount();
});

test('an account that agrees with the database has no differences', async () => {
  const { found, counts } = await mine.compare();
  expect([found, counts]).toEqual([
    [],
    ['compared: 1 records, 1 lines of manifests, 2 files', 'differences: 0'],
  ]);
});

describe('a difference in an account is found, and is the only one:', () => {
  const damages: Record<string, (account: Account) => Promise<string>> = {
    async 'a record that is gone'({ record }) {
      await store.remove(record);
      return 'record missing';
    },
    async 'a record without a row'({ directory }) {
      await putOld(`${directory}/golden/0123ab/${newId()}.json`, '{}');
      return 'record without a database row';
    },
    async 'a file that is cut off'({ file }) {
      await store.put(file, (await store.read(file, 0, 1_000_000))!.subarray(0, -1));
      return 'file damaged';
    },
    async 'a file without a row'({ directory }) {
      await putOld(`${directory}/documents/${newId()}/translated-${newId()}.pdf`, '%PDF');
      return 'file without a database row';
    },
  };

  test.each(Object.entries(damages))('%s', async (_, damage) => {
    const what = await damage(mine);
    for (const quick of [false, true])
      expect((await mine.compare(quick)).found.map(([found]) => found)).toEqual([what]);
  });

  test('--repair writes a record again, but removes nothing: another deployment may have written it', async () => {
    await damages['a record that is gone']!(mine);
    await damages['a record without a row']!(mine);
    await damages['a file without a row']!(mine);
    const { found, counts } = await verifyHere(app.services, { tenant: mine.tenantId, repair: true });
    expect(found.map(([what, , , , repaired]) => [what, repaired])).toEqual([
      ['record missing', 'repaired'],
      ['record without a database row', undefined],
      ['file without a database row', undefined],
    ]);
    expect(counts.at(-1)).toMatch(/^differences: 2 /);
    expect((await mine.compare()).found.map(([what]) => what)).toEqual([
      'record without a database row',
      'file without a database row',
    ]);
  });
});

test('what a tenant keeps beside its records and files is its own', async () => {
  for (const path of ['golden/notes.txt', 'golden/0123ab/notes.json', 'documents/report.pdf', 'else/x'])
    await putOld(`${mine.directory}/${path}`, 'x');
  expect((await mine.compare()).found).toEqual([]);
});

test('two tenants that share an account and its directories do not find each other’s objects', async () => {
  const other = await openAccount(mine.directory);
  await putOld(`${mine.directory}/golden/0123ab/${newId()}.json`, '{}');
  for (const { compare } of [mine, other])
    expect((await compare()).found.map(([what]) => what)).toEqual(['record without a database row']);
  // The differences are not reported once for each workspace.
  const all = (await verifyHere(app.services)).found.filter(([, , , path]) => path?.includes(mine.directory));
  expect(all).toHaveLength(1);
});

test('records under a former golden prefix have their lines in the manifest of that prefix', async () => {
  const { filesystem } = account.address;
  const later = `${mine.directory}/later`;
  await mine.connect({
    filesystem,
    prefixes: { golden: `${later}/golden`, documents: `${later}/documents` },
  });
  expect((await mine.submit({ source_text: 'Later', target_lang: 'fr' })).status).toBe(200);
  const manifests = () =>
    [...account.lake.files(account.name, filesystem).keys()].filter(
      (path) => path.startsWith(mine.directory) && path.includes('manifest'),
    );
  await expect.poll(manifests).toHaveLength(2);
  await openSuperuser(app.superuserUrl)`
    update translation_jobs set updated_at = now() - interval '50 minutes' where tenant_id = ${mine.tenantId}`;
  const { found, counts } = await mine.compare();
  expect([found, counts.at(0)]).toEqual([[], 'compared: 2 records, 2 lines of manifests, 2 files']);
});

describe('an account that cannot be looked at is named, and is no difference:', () => {
  const notReached = async () => {
    const { found, counts } = await mine.compare();
    expect([found, counts.at(-1)]).toEqual([[], 'differences: 0']);
    return counts.filter((line) => line.startsWith('not reached')).join();
  };

  test('it refuses', async () => {
    onTestFinished(account.lake.fail({ how: 403 }));
    expect(await notReached()).toContain(`the account of tenant ${mine.tenantId} (it failed: Injected403)`);
  });

  test('its binding is not verified', async () => {
    await mine.bind();
    expect(await notReached()).toContain(
      '(the connection to it is unverified), so 3 records and files were not compared',
    );
  });

  test('it is no longer bound', async () => {
    await mine.unbind();
    expect(await notReached()).toContain(
      '(it is no longer connected), so 3 records and files were not compared',
    );
  });
});
