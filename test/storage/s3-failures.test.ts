import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { parseS3Url } from '#server/platform/stores/s3-store.ts';
import { readSettings } from '#server/settings.ts';
import { startS3 } from './s3-server.ts';

let s3: Awaited<ReturnType<typeof startS3>>;
beforeEach(async () => {
  s3 = await startS3();
});
afterEach(() => s3.close());

const path = 'tenant/golden/record.json';
const sent = (method: string) => s3.requests.filter((request) => request.method === method).length;

describe('a bucket whose requests fail', () => {
  test.each([
    ['cut', 'cut'],
    ['cut after it was carried out, so that its response is lost', 'cut_after'],
    ['without a response', 'hang'],
    ['with 503', 503],
  ] as const)('a write that fails once is repeated: %s', async (_, how) => {
    s3.fail({ method: 'PUT', how, times: 1 });
    await s3.open().put(path, 'the record');
    expect(sent('PUT')).toBe(2);
    expect(s3.objects.get(path)?.content.toString()).toBe('the record');
    expect(s3.objects.size).toBe(1);
  });

  test('a removal whose response is lost is reported as one', async () => {
    const store = s3.open();
    await store.put(path, 'the record');
    s3.fail({ method: 'DELETE', how: 'cut_after', times: 1 });
    expect(await store.remove(path)).toBe(true);
    expect(await store.remove(path)).toBe(false);
  });

  test('a part of a list whose response is lost has its lines once', async () => {
    const store = s3.open();
    s3.fail({ method: 'PUT', how: 'cut_after', times: 1 });
    await Promise.all(['a', 'b', 'c'].map((line) => store.addLine('golden/announced/1', line)));
    const lines = [...s3.objects.values()].flatMap(({ content }) => content.toString().trim().split('\n'));
    expect(lines.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('an outage is an error with the code of the service, and ends with it', async () => {
    const store = s3.open();
    s3.fail({ method: 'PUT', how: 503, times: 100 });
    await expect(store.put(path, 'x')).rejects.toMatchObject({
      name: 'StoreError',
      code: 'SlowDown',
      status: 503,
    });
    s3.fail();
    await store.put(path, 'x');
  });

  test('a reader that is slower than the timeout gets the whole object', async () => {
    const store = s3.open();
    await store.put(path, Buffer.alloc(9_000_000, 'x'));
    let bytes = 0;
    for await (const piece of (await store.stream(path))!) {
      if (bytes === 0) await sleep(3000);
      bytes += piece.length;
    }
    expect(bytes).toBe(9_000_000);
  });

  test('wrong credentials are an error that has no secret', async () => {
    const store = s3.open();
    const key = process.env['AWS_ACCESS_KEY_ID'];
    process.env['AWS_ACCESS_KEY_ID'] = 'wrong';
    const thrown = await store.check().catch((error: unknown) => error);
    process.env['AWS_ACCESS_KEY_ID'] = key;
    expect(thrown).toMatchObject({ name: 'StoreError', code: 'InvalidAccessKeyId', status: 403 });
    expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toMatch(/testing|Signature/);
  });

  test('a bucket that does not exist fails the check and reads, instead of being empty', async () => {
    const store = openPlatformStore(
      readSettings({ PLATFORM_STORAGE_URL: s3.url().replace('s3://bucket', 's3://missing') }),
    );
    await expect(store.check()).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await expect(store.read(path, 0, 1)).rejects.toMatchObject({ code: 'NoSuchBucket' });
    await expect(store.list('tenant/golden')).rejects.toMatchObject({ code: 'NoSuchBucket' });
  });

  test('another version of an object is not read', async () => {
    const store = s3.open();
    await store.put(path, 'one');
    const version = await store.version(path);
    await store.put(path, 'two');
    expect(await store.stream(path, version!)).toBeNull();
    expect(await store.version(path)).not.toBe(version);
  });

  test('server-side encryption is requested for each write', async () => {
    const store = openPlatformStore(
      readSettings({ PLATFORM_STORAGE_URL: `${s3.url()}&encryption=aws:kms&kms_key=our-key` }),
    );
    await store.put(path, 'x');
    expect(s3.requests[0]?.headers).toMatchObject({
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'our-key',
    });
  });
});

describe('PLATFORM_STORAGE_URL of a bucket', () => {
  test.each([
    ['s3://files', { bucket: 'files', folder: '', pathStyle: false, endpoint: undefined, region: undefined }],
    ['s3://my.files/in/a/', { bucket: 'my.files', folder: 'in/a' }],
    ['s3://files?region=eu-central-1', { region: 'eu-central-1' }],
    ['s3://files?endpoint=http://10.0.0.2:9000', { pathStyle: true, region: 'us-east-1' }],
    ['s3://files?endpoint=https://r2.example&path_style=false', { pathStyle: false }],
  ])('%s', (url, expected) => {
    expect(parseS3Url(url)).toMatchObject(expected);
  });

  test.each([
    ['s3://key:secret@files', 'must be s3://<bucket>'],
    ['s3://Files_1', 'must be s3://<bucket>'],
    ['s3://files/../x%2e', 'the folder may have only'],
    ['s3://files?secret=1', 'the query may have only region'],
    ['s3://files?endpoint=ftp://x', 'the endpoint must be'],
    ['s3://files?path_style=1', 'path_style must be'],
    ['s3://files?encryption=rot13', 'encryption must be'],
    ['s3://files?kms_key=a', 'kms_key needs encryption=aws:kms'],
  ])('%s is rejected', (url, problem) => {
    expect(parseS3Url(url)).toMatchObject({ problem: expect.stringContaining(problem) });
    expect(() => openPlatformStore(readSettings({ PLATFORM_STORAGE_URL: url }))).toThrow(
      /^PLATFORM_STORAGE_URL: /,
    );
  });
});
