import { describe, expect, onTestFinished } from 'vitest';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { type Hold, testKills, type Victim } from '#test/faults/kills.ts';
import { connect, type Signup } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startAccount } from './data-lake-account.ts';
import { type Killed, openKilled } from './killed-service.ts';
import { s3Credentials, startS3 } from './s3-server.ts';

type Client = ReturnType<typeof connect>;

/** A storage for records and files, and a service that uses it for a tenant. */
interface Place extends Killed {
  /** Makes the service store the tenant's records and files in this storage. */
  bind(app: Client, tenant: Signup): Promise<void>;
  /** The text of all objects, by path. */
  objects(): Promise<Map<string, string>>;
  holdLines(): Promise<Hold>;
}

const places: Record<string, () => Promise<Place>> = {
  async folder() {
    const killed = await openKilled();
    return {
      ...killed,
      bind: async () => {},
      objects: () => filesOf(killed.storage),
      holdLines: killed.holdManifests,
    };
  },
  async bucket() {
    const s3 = await startS3();
    onTestFinished(s3.close);
    const killed = await openKilled({ ...s3Credentials, PLATFORM_STORAGE_URL: s3.url('/of/service') });
    return {
      ...killed,
      bind: async () => {},
      objects: async () =>
        new Map([...s3.objects].map(([path, { content }]) => [path, content.toString('latin1')])),
      async holdLines() {
        s3.fail({ method: 'PUT', key: /manifest/, how: 'hang', times: 100 });
        const asked = () => s3.requests.some(({ method, key }) => method === 'PUT' && /manifest/.test(key));
        return { reached: () => poll(async () => asked()), release: async () => s3.fail() };
      },
    };
  },
  async "tenant's account"() {
    // With short leases, those of a killed process end soon.
    const account = await startAccount({ leaseMilliseconds: 2000 });
    onTestFinished(account.lake.close);
    const killed = await openKilled({
      STORAGE_BINDING_ENABLED: 'true',
      STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
    });
    const { lake, address, sas } = account;
    return {
      ...killed,
      async bind(app, { headers }) {
        const body = {
          account_url: address.accountUrl,
          filesystem: address.filesystem,
          auth_mode: 'sas',
          secret: sas,
        };
        await app.json('PUT', '/api/storage/binding', { headers, body });
        const verified = await app.json('POST', '/api/storage/binding/verify', { headers });
        expect(verified.body.status).toBe('verified');
      },
      objects: async () =>
        new Map([...lake.files('contoso', 'files')].map(([path, bytes]) => [path, bytes.toString()])),
      async holdLines() {
        // The process has the lease of the manifest at the time of its death.
        const release = lake.fail({ operation: 'append', path: /manifest/, how: 'timeout' });
        const asked = () =>
          lake.requests.some(({ operation, path }) => operation === 'append' && /manifest/.test(path));
        return { reached: () => poll(async () => asked()), release: async () => void release() };
      },
    };
  },
};

async function filesOf(folder: string): Promise<Map<string, string>> {
  const store = openFolder(folder);
  const files = new Map<string, string>();
  for (const top of await store.listFolders())
    for await (const path of store.walk(top))
      files.set(path, Buffer.from((await store.read(path, 0, 10_000_000)) ?? '').toString('latin1'));
  return files;
}

const text = { source_text: 'Hello', target_lang: 'fr' };

/** Starts a service with one tenant. A test kills its processes. */
async function open(place: Place) {
  const service = await place.start();
  const app = connect(service.address);
  const tenant = await app.signUp();
  await place.bind(app, tenant);
  return { service, app, tenant };
}

/** The service is killed at the place of the hold. */
const atHold = {
  timeout: 150_000,
  async reach({ hold, service }: { hold: Hold; service: Victim }) {
    await hold.reached();
    return service;
  },
  after: ({ hold }: { hold: Hold }) => hold.release(),
};

const keyed = ({ headers }: Signup) => ({ ...headers, 'idempotency-key': 'once' });

/** The published records of an ID, found by their names. */
async function recordsOf(place: Place, id: string): Promise<string[]> {
  return [...(await place.objects()).keys()].filter((path) => path.endsWith('.json') && path.includes(id));
}

/** Expects that the job or document was published and billed once, and has one record with one manifest line. */
async function expectOnce(place: Place, id: string): Promise<void> {
  expect(await recordsOf(place, id)).toHaveLength(1);
  const manifests = [...(await place.objects())].filter(([path]) => path.includes('manifest/'));
  const lines = manifests.flatMap(([, content]) => content.split('\n')).filter((line) => line.includes(id));
  expect(lines).toHaveLength(1);
  const billed = await place.sql`select job_id from usage_records`;
  expect(billed.map(({ job_id }) => job_id)).toEqual([id]);
}

describe.each(Object.entries(places))('kill -9 of a service with records in a %s', (_, openPlace) => {
  testKills({
    ...atHold,
    title: 'between the record and its row: the record goes, and the same key publishes the text once',
    async open() {
      const place = await openPlace();
      const opened = await open(place);
      const { app, tenant } = opened;
      const hold = await place.holdRows('translation_jobs', 'update', `new.status = 'published'`);
      const answer = app
        .json('POST', '/api/translations', { headers: keyed(tenant), body: text })
        .catch(() => undefined);
      return { place, ...opened, hold, answer };
    },
    async holds({ place, tenant, answer }) {
      expect(await answer).toBeUndefined();
      const [job] = await place.sql`select job_id as id, status, golden_uri from translation_jobs`;
      expect(job).toMatchObject({ status: 'pending', golden_uri: null });
      expect(await recordsOf(place, job!['id'])).toHaveLength(1);
      const before = await place.verify();
      expect(before.counts.join()).toContain(
        'job that is not published yet: 1, record whose database row may not be stored yet: 1;',
      );

      const again = connect((await place.startAgain()).address);
      await poll(async () => {
        const sent = await again.json('POST', '/api/translations', { headers: keyed(tenant), body: text });
        return sent.body.status === 'published';
      });
      const { counts } = await place.agreed();
      expect(counts[0]).toBe('compared: 1 records, 1 lines of manifests, 0 files');
      await expectOnce(place, job!['id']);
    },
  });

  testKills({
    ...atHold,
    title: 'between the row and its line: the line is added, once',
    async open() {
      const place = await openPlace();
      const opened = await open(place);
      const hold = await place.holdLines();
      const { status, body } = await opened.app.json('POST', '/api/translations', {
        headers: keyed(opened.tenant),
        body: text,
      });
      expect([status, body.status]).toEqual([200, 'published']);
      return { place, ...opened, hold, id: body.id as string };
    },
    async holds({ place, id }) {
      const left = await poll(async () => {
        const found = await place.verify();
        return found.code === 1 && found;
      });
      expect(left.found.map(([what, , id]) => [what, id])).toEqual([['manifest line missing', `id=${id}`]]);

      await place.startAgain();
      await place.agreed();
      await expectOnce(place, id);
    },
  });

  testKills({
    ...atHold,
    title: 'between the file of a document and its row: the document is rebuilt, delivered and billed once',
    async open() {
      const place = await openPlace();
      const opened = await open(place);
      const hold = await place.holdRows('document_artifacts', 'insert', `new.kind = 'translated'`);
      const { id } = await sendDocument(opened.app, opened.tenant);
      return { place, ...opened, hold, id };
    },
    async holds({ place, tenant, id }) {
      const files = async () => [...(await place.objects()).keys()].filter((path) => path.includes(id));
      expect(await files()).toHaveLength(2);

      const again = connect((await place.startAgain()).address);
      await translated(again, tenant, id);
      // The dead process has left a file, which the service removes later.
      await place.agreed(/file whose database row may not be stored yet: 1;/);
      expect(await files()).toHaveLength(3);
      const rows = await place.sql`select kind from document_artifacts order by kind`;
      expect(rows.map(({ kind }) => kind)).toEqual(['source', 'translated']);
      expect((await place.sql`select job_id from usage_records`).map(({ job_id }) => job_id)).toEqual([id]);
      const download = await again.request(`/api/documents/${id}/download`, { headers: tenant.headers });
      expect(download.status).toBe(200);
    },
  });
});

async function sendDocument(app: Client, { headers }: Signup): Promise<{ id: string }> {
  const body = new FormData();
  body.set('target_lang', 'fr');
  body.set('source_document', workbookFile(['Hello']));
  const response = await app.request('/api/documents/translate', { method: 'POST', headers, body });
  expect(response.status).toBe(202);
  return (await response.json()) as { id: string };
}

async function translated(app: Client, { headers }: Signup, id: string): Promise<void> {
  await poll(async () => {
    const { body } = await app.json('GET', `/api/documents/${id}`, { headers });
    return body.status === 'translated';
  }, 30);
}

describe('kill -9 during an approval', () => {
  const approve = (app: Client, { headers }: Signup, id: string) =>
    app
      .json('POST', `/api/documents/${id}/approve`, { headers, body: { reviewer: 'Rev' } })
      .catch(() => undefined);

  const moments: Record<string, (place: Place) => Promise<Hold>> = {
    'between its record and its row': (place) =>
      place.holdRows('document_jobs', 'update', 'old.golden_uri is null and new.golden_uri is not null'),
    'between its row and its line': (place) => place.holdLines(),
  };

  for (const [moment, holdAt] of Object.entries(moments)) {
    const isCommitted = moment.includes('line');
    testKills({
      ...atHold,
      title: `${moment}: it is completed, once`,
      async open() {
        const place = await places['folder']!();
        const opened = await open(place);
        const { app, tenant } = opened;
        const { id } = await sendDocument(app, tenant);
        await translated(app, tenant, id);
        const hold = await holdAt(place);
        const answer = approve(app, tenant, id);
        if (isCommitted) expect((await answer)?.status).toBe(200);
        return { place, ...opened, hold, id };
      },
      async holds({ place, id }) {
        const [row] =
          await place.sql`select approved_at is not null as approved, golden_uri from document_jobs`;
        expect([row!['approved'], row!['golden_uri'] !== null]).toEqual([true, isCommitted]);
        expect(await recordsOf(place, id)).toHaveLength(1);

        // Without this, the lease of the dead process would end after two minutes.
        await place.sql`update document_jobs set review_lease_until = now()`;
        await place.startAgain();
        await poll(
          async () => (await place.sql`select from document_jobs where golden_uri is not null`).length,
          60,
        );
        await place.agreed();
        await expectOnce(place, id);
      },
    });
  }
});
