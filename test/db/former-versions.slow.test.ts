import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decodeBase32IgnorePadding } from '@oslojs/encoding';
import { generateTOTP } from '@oslojs/otp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';
import { createFormerDatabase, readFormer, writeFormerStore } from './former/former-database.ts';
import type { FormerVersion } from './former/former-version.ts';
import { describeSchema } from './former/schema-lines.ts';

/*
 * Databases of former versions, each with the SDK of the same version. `former/record.ts` has recorded them.
 *
 * - version-0: the last version before 1.0.0.
 */
const versions = ['version-0'];

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-former-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Starts the current service with the database of a version. */
async function startOver(version: FormerVersion) {
  const database = await createFormerDatabase(version, await temporaryFolder());
  const data = await temporaryFolder();
  await writeFormerStore(version, data);
  const service = await startService({
    ...{ DATABASE_URL: database.url, SECRETS_KEY: version.secretsKey, DATA_DIR: data, LOG_LEVEL: 'silent' },
  });
  onTestFinished(async () => void (await service.stop()));
  return service.address;
}

/** Loads the SDK of the version. Its types are not available. */
async function openSdk({ sdk, apiKey }: FormerVersion, baseUrl: string) {
  const file = join(await temporaryFolder(), 'sdk.mjs');
  await writeFile(file, sdk);
  const { LinguaLoop } = await import(pathToFileURL(file).href);
  return { byKey: new LinguaLoop({ baseUrl, apiKey }), visitor: new LinguaLoop({ baseUrl }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const codeOf = ({ totpSecret }: FormerVersion) => generateTOTP(decodeBase32IgnorePadding(totpSecret), 30, 6);

interface Job {
  id: string;
  status: string;
  request: { source_text: string };
}

/** A TMX file without the time of its export. */
const undated = (tmx: string) => tmx.replace(/ creationdate="\w+"/, '');

/** The schema of the service alone: graphile-worker's depends on its version and on the roles. */
const ownLines = (schema: string[]) =>
  schema.filter((line) => !/graphile_worker|pg_stat_statements|^(worker )?migration /.test(line));

test('the baseline has the schema of the last version 0', async () => {
  const version = await readFormer('version-0');
  const database = await createFormerDatabase(version, await temporaryFolder());
  expect(ownLines(version.schema).length).toBeGreaterThan(1000);
  expect(ownLines(await describeSchema(database.superuserUrl))).toEqual(ownLines(version.schema));
});

test('a database with runs that this version cannot read is not upgraded, and stays as it is', async () => {
  const version = await readFormer('version-0');
  const database = await createFormerDatabase(version, await temporaryFolder());
  await openSuperuser(database.superuserUrl)`update translation_jobs set packed_run = '[]'`;
  await expect(migrate(database.ownerUrl)).rejects.toThrow(
    'this database has texts from an early version 0, whose runs version 1.0.0 cannot read',
  );
  expect(ownLines(await describeSchema(database.superuserUrl))).toEqual(ownLines(version.schema));
});

describe.each(versions)('what the version %s left', (name) => {
  test('is migrated by a start, and every answer is as it was', async () => {
    const version = await readFormer(name);
    const address = await startOver(version);
    const headers = { 'x-api-key': version.apiKey };
    for (const [path, before] of Object.entries(version.answers)) {
      const response = await fetch(address + path, { headers });
      expect([path, response.status]).toEqual([path, 200]);
      if (typeof before === 'string') expect(undated(await response.text())).toBe(undated(before));
      // The current version may return additional fields.
      else expect(await response.json(), path).toMatchObject(before as object);
    }
  });

  test('serves the SDK of that version: translate, review, remember, download, sign in with the authenticator', async () => {
    const version = await readFormer(name);
    const address = await startOver(version);
    const { byKey, visitor } = await openSdk(version, address);

    const listed = await all<Job>(byKey.translations.list({ limit: 3 }));
    expect(listed.map(({ id }) => id)).toEqual(
      (version.answers['/api/translations'] as { id: string }[]).map(({ id }) => id),
    );
    const again = await byKey.translations.create({
      ...{ source_text: 'Die Würde des Menschen ist unantastbar.', source_lang: 'de', target_lang: 'en' },
      idempotency_key: 'former-1',
    });
    expect(listed.map(({ id }) => id)).toContain(again.id);

    const waiting = listed.find(
      ({ request }) => request.source_text === 'Notices are given in writing.',
    ) as Job;
    expect(waiting.status).toBe('awaiting_review');
    const edited = await byKey.translations.review(waiting.id, {
      ...{ action: 'modify', final_translation: 'Les notifications se font par écrit.', reviewer: 'Zoé' },
    });
    expect(edited.status).toBe('human_edited');
    // The TM contains a reviewed text shortly after the review.
    for (const [source_text, target] of [
      ['Notices are given in writing.', 'Les notifications se font par écrit.'],
      // This translation was in the TM of the former version.
      ['The parties agree.', 'Les parties conviennent.'],
      ['See you tomorrow.', 'À demain.'],
    ])
      await poll(async () => {
        const job = await byKey.translations.create({ source_text, target_lang: 'fr' });
        return job.final_translation === target;
      });
    const { bytes } = await byKey.translations.golden(waiting.id, { format: 'txt' });
    expect(Buffer.from(bytes).toString()).toContain('Les notifications');

    expect(await byKey.terminology.list()).toMatchObject([{ name: 'Former terms' }]);
    const memories: { name: string }[] = await byKey.memory.list();
    expect(memories.map((memory) => memory.name)).toContain('Former memory');

    const { email, password } = version;
    await visitor.auth.signIn({ email, password }, { onMfa: () => codeOf(version) });
    expect(await visitor.auth.me()).toMatchObject({ user: { email } });
    await expect(visitor.translations.get('0'.repeat(32))).rejects.toMatchObject({ status: 404 });

    for (const { id } of (version.answers['/api/documents'] ?? []) as { id: string }[]) {
      expect(await byKey.documents.get(id)).toMatchObject({ id, status: 'translated' });
      const { body } = await byKey.documents.download(id);
      expect((await new Response(body).arrayBuffer()).byteLength).toBeGreaterThan(1000);
    }
  });
});
